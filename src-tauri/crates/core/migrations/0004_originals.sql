-- What guards took out of a session's texts, encrypted; its placeholder stands in the texts. The
-- key is in the keychain and never here. sealed_for is the session that the encryption is bound
-- to: a fork has copies of its origin's rows. taken_from is input or output.
CREATE TABLE originals (
    session_id  TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    placeholder TEXT NOT NULL,
    taken_from  TEXT NOT NULL,
    sealed_for  TEXT NOT NULL,
    nonce       BLOB NOT NULL,
    sealed      BLOB NOT NULL,
    PRIMARY KEY (session_id, placeholder)
);
