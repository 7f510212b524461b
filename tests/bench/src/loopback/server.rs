//! A server that answers from memory, with as little work as can be.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// Answers every request whose path begins with one of its paths. Ends with the process.
pub struct Server {
    address: SocketAddr,
}

type Bodies = Arc<Vec<(String, Vec<u8>)>>;

impl Server {
    pub fn start(bodies: Vec<(String, Vec<u8>)>) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let bodies: Bodies = Arc::new(bodies);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let bodies = Arc::clone(&bodies);
                // A client that leaves ends its thread, and nobody else's.
                thread::spawn(move || _ = serve(connection, &bodies));
            }
        });
        Ok(Self { address })
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn serve(mut connection: TcpStream, bodies: &Bodies) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let mut requests = BufReader::new(connection.try_clone()?);
    while let Some(path) = read_request(&mut requests)? {
        let body = bodies.iter().find(|(start, _)| path.starts_with(start));
        match body {
            Some((_, response)) => connection.write_all(response)?,
            None => connection.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")?,
        }
    }
    Ok(())
}

/// The path of the next request, whose body is read and thrown away.
fn read_request(requests: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut first = String::new();
    if requests.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let mut length = 0;
    loop {
        let mut header = String::new();
        requests.read_line(&mut header)?;
        let header = header.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or_default();
        }
    }
    std::io::copy(&mut requests.take(length), &mut std::io::sink())?;
    let path = first.split(' ').nth(1).unwrap_or_default();
    Ok(Some(path.to_owned()))
}

/// A whole answer in which every read is an HTTP chunk: a client gets them one by one,
/// however the bytes travel.
pub(super) fn response<'a>(reads: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut response = head.as_bytes().to_vec();
    for read in reads {
        response.extend_from_slice(format!("{:x}\r\n", read.len()).as_bytes());
        response.extend_from_slice(read);
        response.extend_from_slice(b"\r\n");
    }
    response.extend_from_slice(b"0\r\n\r\n");
    response
}
