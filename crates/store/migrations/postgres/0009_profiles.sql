-- What a plugin said about somebody when it named them first: a JSON object with `profileUrl`, `handle` and `public`.
-- Absent for identities that no plugin vouches for.
ALTER TABLE identities ADD COLUMN profile TEXT;
