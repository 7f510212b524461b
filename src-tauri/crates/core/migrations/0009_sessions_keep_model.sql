-- How much the model may think: a projection of the session's last prompt, like source and model.
-- Prompts from before this was stored say nothing of it, and the session follows the default.
ALTER TABLE sessions ADD COLUMN thinking TEXT;
-- What else the user set for it (RequestOptions as JSON), from the same prompt.
ALTER TABLE sessions ADD COLUMN options TEXT;

-- What only this machine knows, and no event says. chosen: what the user picked for the session's
-- next turn, until that turn starts. base_url: an address that was given for this session alone.
ALTER TABLE sessions ADD COLUMN chosen TEXT;
ALTER TABLE sessions ADD COLUMN base_url TEXT;

-- Who has been sent a session's history, or may be: the user agreed. An empty host is the source's
-- own address.
CREATE TABLE recipients (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    source     TEXT NOT NULL,
    host       TEXT NOT NULL,
    PRIMARY KEY (session_id, source, host)
);

-- Until now nobody noted the address of a turn: it is taken to be the one that is configured.
INSERT INTO recipients (session_id, source, host)
SELECT DISTINCT asked.session_id,
       asked.source,
       coalesce((SELECT value FROM settings WHERE name = 'base_url.' || asked.source), '')
FROM (SELECT session_id, json_extract(event, '$.source') AS source
      FROM events
      WHERE type = 'user_message' AND json_valid(event)) asked
JOIN sessions ON sessions.id = asked.session_id
WHERE asked.source IS NOT NULL AND typeof(asked.source) = 'text';
