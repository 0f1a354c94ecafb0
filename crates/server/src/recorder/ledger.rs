//! What has been measured and is not in the database yet: a database that fails for a while costs no minute of it.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use store::{AudienceSample, SampledStream, Store, StoreError, StreamReferrer};

/// Kept while the database fails, a day of minutes; then the oldest go.
const MOST_PERIODS: usize = 24 * 60;
/// Between tries when nothing new is measured.
const PAUSE: SignedDuration = SignedDuration::from_mins(1);
/// People are looked for this far back once more: a line may be stored, or approved, after it was written.
const READ_AGAIN: Duration = Duration::from_secs(300);

/// Where everything goes in the end, and what else has to be known for that.
pub(super) trait Books {
    /// How many lines people wrote in this time.
    fn lines(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> impl Future<Output = Result<u32, StoreError>> + Send;
    /// Who wrote in this time.
    fn chatters(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send;
    fn add_sample(
        &self,
        sample: AudienceSample,
        stream: Option<SampledStream>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
    fn add_visits(
        &self,
        stream: String,
        visits: Vec<StreamReferrer>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

impl Books for Store {
    async fn lines(&self, from: Timestamp, to: Timestamp) -> Result<u32, StoreError> {
        self.count_lines(from, to).await
    }

    async fn chatters(&self, from: Timestamp, to: Timestamp) -> Result<Vec<String>, StoreError> {
        self.authors(from, to).await
    }

    async fn add_sample(
        &self,
        sample: AudienceSample,
        stream: Option<SampledStream>,
    ) -> Result<(), StoreError> {
        self.record_audience(sample, stream).await
    }

    async fn add_visits(
        &self,
        stream: String,
        visits: Vec<StreamReferrer>,
    ) -> Result<(), StoreError> {
        self.note_referrers(stream, visits).await
    }
}

/// The broadcast that something was measured in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MeasuredStream {
    pub(super) id: String,
    pub(super) started_at: Timestamp,
}

#[derive(Debug)]
struct Period {
    stream: Option<MeasuredStream>,
    from: Timestamp,
    to: Timestamp,
    /// `None` once it is in the database.
    sample: Option<AudienceSample>,
    visits: Vec<StreamReferrer>,
}

/// Who has written in a broadcast so far, so that only what is new has to be read.
#[derive(Debug)]
struct People {
    stream: String,
    ids: HashSet<String>,
    known_until: Timestamp,
}

#[derive(Debug)]
pub(super) struct Ledger {
    /// Everything measured until then is here or in the database.
    added_until: Timestamp,
    /// Oldest first.
    unwritten: VecDeque<Period>,
    people: Option<People>,
}

impl Ledger {
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            added_until: now,
            unwritten: VecDeque::new(),
            people: None,
        }
    }

    /// Takes what was measured since the last time. Visits count for a broadcast only.
    pub(super) fn add(
        &mut self,
        now: Timestamp,
        sample: Option<AudienceSample>,
        stream: Option<MeasuredStream>,
        visits: Vec<StreamReferrer>,
    ) {
        let from = std::mem::replace(&mut self.added_until, now);
        let Some(sample) = sample else { return };
        if self.unwritten.len() == MOST_PERIODS {
            self.unwritten.pop_front();
        }
        self.unwritten.push_back(Period {
            from,
            to: now,
            sample: Some(sample),
            visits,
            stream,
        });
    }

    /// Whether what could not be written should be tried again, although nothing new is measured.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        !self.unwritten.is_empty() && now.duration_since(self.added_until) >= PAUSE
    }

    /// Writes everything, or what can be written before the database fails; the rest stays.
    pub(super) async fn settle(&mut self, books: &impl Books) -> Result<(), StoreError> {
        while let Some(period) = self.unwritten.front_mut() {
            let written = write(period, &mut self.people, books).await;
            // What the database refuses would be refused for ever, and must not keep all else waiting.
            if !matches!(written, Err(StoreError::Unavailable(_))) {
                self.unwritten.pop_front();
            }
            written?;
        }
        Ok(())
    }
}

async fn write(
    period: &mut Period,
    people: &mut Option<People>,
    books: &impl Books,
) -> Result<(), StoreError> {
    if let Some(mut sample) = period.sample {
        sample.messages = books.lines(period.from, period.to).await?;
        let sampled = match &period.stream {
            Some(stream) => Some(SampledStream {
                id: stream.id.clone(),
                chatters: count_people(people, stream, period.to, books).await?,
            }),
            None => None,
        };
        books.add_sample(sample, sampled).await?;
        period.sample = None;
    }
    if let Some(stream) = &period.stream
        && !period.visits.is_empty()
    {
        let visits = period.visits.clone();
        books.add_visits(stream.id.clone(), visits).await?;
    }
    Ok(())
}

async fn count_people(
    people: &mut Option<People>,
    stream: &MeasuredStream,
    until: Timestamp,
    books: &impl Books,
) -> Result<u32, StoreError> {
    if people
        .as_ref()
        .is_some_and(|known| known.stream != stream.id)
    {
        *people = None;
    }
    let known = people.get_or_insert_with(|| People {
        stream: stream.id.clone(),
        ids: HashSet::new(),
        known_until: stream.started_at,
    });
    let from = (known.known_until - READ_AGAIN).max(stream.started_at);
    known.ids.extend(books.chatters(from, until).await?);
    known.known_until = until;
    Ok(u32::try_from(known.ids.len()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, MutexGuard};

    use super::*;

    /// One line each second, by one of three people in turns; the database can be away, or refuse visits.
    #[derive(Default)]
    struct FakeBooks(Mutex<Inside>);

    /// When, how many viewers, and the stream with its count and its count of chatters.
    type Sample = (i64, u32, Option<(String, u32)>);

    #[derive(Default)]
    struct Inside {
        is_away: bool,
        refuses_visits: bool,
        asked_for: Vec<(i64, i64)>,
        samples: Vec<Sample>,
        visits: Vec<(String, u32)>,
    }

    impl FakeBooks {
        fn inside(&self) -> MutexGuard<'_, Inside> {
            self.0.lock().unwrap()
        }

        fn open(&self) -> Result<MutexGuard<'_, Inside>, StoreError> {
            let inside = self.inside();
            match inside.is_away {
                true => Err(StoreError::Unavailable("away".into())),
                false => Ok(inside),
            }
        }
    }

    impl Books for FakeBooks {
        async fn lines(&self, from: Timestamp, to: Timestamp) -> Result<u32, StoreError> {
            drop(self.open()?);
            Ok(u32::try_from(to.as_second() - from.as_second()).unwrap())
        }

        async fn chatters(
            &self,
            from: Timestamp,
            to: Timestamp,
        ) -> Result<Vec<String>, StoreError> {
            let (from, to) = (from.as_second(), to.as_second());
            self.open()?.asked_for.push((from, to));
            Ok((from..to).map(|second| (second % 3).to_string()).collect())
        }

        async fn add_sample(
            &self,
            sample: AudienceSample,
            stream: Option<SampledStream>,
        ) -> Result<(), StoreError> {
            let stream = stream.map(|stream| (stream.id, stream.chatters));
            let row = (sample.began_at.as_second(), sample.messages, stream);
            self.open()?.samples.push(row);
            Ok(())
        }

        async fn add_visits(
            &self,
            stream: String,
            visits: Vec<StreamReferrer>,
        ) -> Result<(), StoreError> {
            let mut inside = self.open()?;
            if inside.refuses_visits {
                return Err(StoreError::Conflict);
            }
            for one in visits {
                inside.visits.push((stream.clone(), one.visits));
            }
            Ok(())
        }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn sample(second: i64) -> Option<AudienceSample> {
        Some(AudienceSample {
            began_at: at(second),
            ..AudienceSample::default()
        })
    }

    fn stream(id: &str, started: i64) -> Option<MeasuredStream> {
        Some(MeasuredStream {
            id: id.into(),
            started_at: at(started),
        })
    }

    fn visits(visits: u32) -> Vec<StreamReferrer> {
        vec![StreamReferrer {
            host: "news.example".into(),
            visits,
        }]
    }

    #[tokio::test]
    async fn a_minute_that_the_database_did_not_take_is_written_when_it_is_back() {
        let books = FakeBooks::default();
        let mut ledger = Ledger::new(at(0));
        books.inside().is_away = true;
        ledger.add(at(60), sample(5), stream("a", 0), visits(2));
        ledger.settle(&books).await.unwrap_err();
        assert!(!ledger.is_due(at(61)));
        assert!(ledger.is_due(at(120)));
        ledger.add(at(120), sample(60), stream("b", 100), visits(3));
        ledger.settle(&books).await.unwrap_err();
        assert!(books.inside().samples.is_empty());

        books.inside().is_away = false;
        ledger.settle(&books).await.unwrap();
        let of = |id: &str| Some((id.to_owned(), 3));
        assert_eq!(
            books.inside().samples,
            [(5, 60, of("a")), (60, 60, of("b"))]
        );
        assert_eq!(
            books.inside().visits,
            [("a".to_owned(), 2), ("b".to_owned(), 3)]
        );
        assert!(!ledger.is_due(at(999)));
        ledger.settle(&books).await.unwrap();
        assert_eq!(books.inside().samples.len(), 2, "nothing is written twice");
    }

    #[tokio::test]
    async fn what_the_database_refuses_for_ever_keeps_nothing_else_waiting() {
        let books = FakeBooks::default();
        let mut ledger = Ledger::new(at(0));
        books.inside().refuses_visits = true;
        ledger.add(at(60), sample(0), stream("a", 0), visits(2));
        ledger.settle(&books).await.unwrap_err();
        ledger.settle(&books).await.unwrap();
        assert_eq!(books.inside().samples.len(), 1);
    }

    #[tokio::test]
    async fn people_are_counted_on_from_the_last_count() {
        let books = FakeBooks::default();
        let mut ledger = Ledger::new(at(1000));
        for now in [1060, 1900, 1960] {
            ledger.add(at(now), sample(now), stream("a", 1000), vec![]);
            ledger.settle(&books).await.unwrap();
        }
        assert_eq!(
            books.inside().asked_for,
            [(1000, 1060), (1000, 1900), (1600, 1960)]
        );
        ledger.add(at(2020), sample(2020), stream("b", 2018), vec![]);
        ledger.settle(&books).await.unwrap();
        let last = books.inside().samples.pop().unwrap();
        assert_eq!(last.2, Some(("b".to_owned(), 2)), "another broadcast");
    }

    #[tokio::test]
    async fn a_database_that_stays_away_does_not_fill_the_memory() {
        let books = FakeBooks::default();
        let mut ledger = Ledger::new(at(0));
        for minute in 1..=MOST_PERIODS as i64 + 5 {
            ledger.add(at(minute * 60), sample(minute), None, vec![]);
        }
        ledger.settle(&books).await.unwrap();
        let inside = books.inside();
        assert_eq!(inside.samples.len(), MOST_PERIODS);
        assert_eq!(inside.samples[0].0, 6, "the oldest are gone");
    }
}
