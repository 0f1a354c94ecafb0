//! Documents as others read them: pure functions of names and facts.
