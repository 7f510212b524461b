-- What is remembered, in the user's own words; project is empty for what belongs to none. The
-- session and the turn say where it was said, and may be gone: memories outlive sessions. The
-- fingerprint stands for the words whatever their case, so that nothing is kept twice, and so
-- that no index holds the words themselves. number is the row's place in the full-text index,
-- which is SQLite's own and is made when the first memory is kept.
CREATE TABLE memories (
    number      INTEGER PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    project     TEXT    NOT NULL,
    content     TEXT    NOT NULL,
    fingerprint TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    session_id  TEXT    NOT NULL,
    turn_id     TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    seen_at     INTEGER NOT NULL,
    uses        INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project, fingerprint)
);
CREATE INDEX memories_by_session ON memories (session_id);
