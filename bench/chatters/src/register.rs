//! Registers users: each thread has one connection and sends one request after the other.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::wire;

const THREADS: usize = 16;

pub fn register(server: SocketAddr, count: usize) -> Result<Vec<String>, String> {
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let share = (thread..count).step_by(THREADS);
            std::thread::spawn(move || register_share(server, share))
        })
        .collect();
    let mut tokens = Vec::with_capacity(count);
    for thread in threads {
        let share = thread.join().map_err(|_| "a thread ended badly")?;
        tokens.extend(share?);
    }
    Ok(tokens)
}

fn register_share(
    server: SocketAddr,
    numbers: impl Iterator<Item = usize>,
) -> Result<Vec<String>, String> {
    let mut stream = TcpStream::connect(server).map_err(|error| error.to_string())?;
    stream
        .set_nodelay(true)
        .map_err(|error| error.to_string())?;
    numbers
        .map(|number| register_one(&mut stream, number))
        .collect()
}

fn register_one(stream: &mut TcpStream, number: usize) -> Result<String, String> {
    let body = format!("{{\"displayName\":\"chatter {number}\"}}");
    let request = format!(
        "POST /api/chat/register HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream
        .write_all(request.as_bytes())
        .map_err(|error| error.to_string())?;
    let mut answer = Vec::new();
    let mut scratch = [0; 4096];
    loop {
        match stream.read(&mut scratch) {
            Ok(0) => return Err("the server closed the connection".into()),
            Ok(count) => answer.extend_from_slice(&scratch[..count]),
            Err(error) => return Err(error.to_string()),
        }
        if let Some(head) = wire::head(&answer)? {
            let length = head.length.ok_or("an answer without length")?;
            if head.status != 200 {
                return Err(format!("registering was answered with {}", head.status));
            }
            if answer.len() >= head.end + length {
                return token_in(&answer[head.end..]);
            }
        }
    }
}

fn token_in(body: &[u8]) -> Result<String, String> {
    let text = String::from_utf8_lossy(body);
    let (_, rest) = text.split_once("\"accessToken\":\"").ok_or("no token")?;
    let (token, _) = rest.split_once('"').ok_or("no end of the token")?;
    Ok(token.to_owned())
}
