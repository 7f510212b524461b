-- A session's row is a projection of its events; last_sequence and next_index are where the
-- next event's numbers come from. owner names the running Weir whose turn is streaming.
CREATE TABLE sessions (
    id            TEXT    NOT NULL PRIMARY KEY,
    title         TEXT    NOT NULL,
    source        TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    status        TEXT    NOT NULL,
    owner         TEXT,
    turns         INTEGER NOT NULL DEFAULT 0,
    tokens        INTEGER NOT NULL DEFAULT 0,
    cost          REAL,
    last_sequence INTEGER NOT NULL DEFAULT 0,
    next_index    INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
);
CREATE INDEX sessions_by_update ON sessions (updated_at);
CREATE INDEX sessions_by_owner ON sessions (owner) WHERE owner IS NOT NULL;

-- The log: what happened, in order, for good.
CREATE TABLE events (
    session_id      TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    sequence_number INTEGER NOT NULL,
    id              TEXT    NOT NULL UNIQUE,
    type            TEXT    NOT NULL,
    event           TEXT    NOT NULL,
    UNIQUE (session_id, sequence_number)
);

-- The journal: chunks of blocks that still grow, exactly as they were shown. The finished
-- block replaces its chunks in one transaction.
CREATE TABLE journal (
    session_id  TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    turn_id     TEXT    NOT NULL,
    block_index INTEGER NOT NULL,
    event_index INTEGER NOT NULL,
    event       TEXT    NOT NULL,
    PRIMARY KEY (session_id, turn_id, block_index, event_index)
) WITHOUT ROWID;

CREATE TABLE settings (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
