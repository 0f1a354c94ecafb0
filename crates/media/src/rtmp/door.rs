//! How many strangers may stand at the door.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Connections without an accepted stream key; further ones are closed at once.
const MAX_STRANGERS: usize = 32;
/// The same for one address, or one IPv6 network; further ones are closed at once.
const MAX_STRANGERS_PER_ADDRESS: usize = 4;

/// Counts strangers; clones count together.
#[derive(Clone, Debug, Default)]
pub(super) struct Door {
    waiting: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// A stranger's place; dropping it makes room for the next.
#[derive(Debug)]
pub(super) struct Place {
    door: Door,
    network: IpAddr,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    House,
    Address,
}

impl Door {
    pub(super) fn enter(&self, address: IpAddr) -> Result<Place, Full> {
        let network = model::address::network(address);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.values().sum::<usize>() >= MAX_STRANGERS {
            return Err(Full::House);
        }
        let from_here = waiting.entry(network).or_default();
        if *from_here >= MAX_STRANGERS_PER_ADDRESS {
            return Err(Full::Address);
        }
        *from_here += 1;
        Ok(Place {
            door: self.clone(),
            network,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut waiting = self
            .door
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = waiting.get_mut(&self.network) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                waiting.remove(&self.network);
            }
        }
    }
}

impl Full {
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::House => "too_many",
            Self::Address => "too_many_from_address",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v4(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn one_address_gets_four_places_and_a_place_left_is_free_again() {
        let door = Door::default();
        let mut places: Vec<Place> = (0..4).map(|_| door.enter(v4(1)).unwrap()).collect();
        assert_eq!(door.enter(v4(1)).unwrap_err(), Full::Address);
        assert!(door.enter(v4(2)).is_ok());
        places.pop();
        assert!(door.enter(v4(1)).is_ok());
    }

    #[test]
    fn an_ipv6_network_counts_as_one_address() {
        let door = Door::default();
        let addresses = (1..=5).map(|last| format!("2001:db8::{last}").parse().unwrap());
        let entered: Vec<_> = addresses.map(|address| door.enter(address)).collect();
        assert_eq!(entered.iter().filter(|one| one.is_ok()).count(), 4);
    }

    #[test]
    fn the_house_is_full_with_thirty_two() {
        let door = Door::default();
        let places: Vec<_> = (0..33).map(|last| door.enter(v4(last))).collect();
        assert_eq!(places.iter().filter(|one| one.is_ok()).count(), 32);
        assert_eq!(places[32].as_ref().unwrap_err(), &Full::House);
        drop(places);
        assert!(door.waiting.lock().unwrap().is_empty());
    }
}
