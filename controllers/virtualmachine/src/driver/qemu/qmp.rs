//! The QEMU Machine Protocol: one line of JSON per message.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::time::timeout;

/// The maximum length of a line, in bytes.
const LONGEST: u64 = 1 << 20;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum QmpError {
    /// The connection failed or was closed.
    #[error("QMP: {0}")]
    Io(#[from] io::Error),
    /// The command timed out.
    #[error("QMP: no answer within {0:?}")]
    Timeout(Duration),
    /// The response violates the protocol.
    #[error("QMP: unexpected response: {0}")]
    Malformed(String),
    /// QEMU rejected the command.
    #[error("QEMU refuses {command}: {reason}")]
    Refused {
        /// The command.
        command: String,
        /// QEMU's explanation.
        reason: String,
    },
}

/// Connects to the socket `name` in `folder`, and executes one command, all within `limit`.
pub(super) async fn execute(
    folder: &Path,
    name: &str,
    command: &str,
    arguments: Value,
    limit: Duration,
) -> Result<Value, QmpError> {
    let talk = async {
        // A socket address is limited to 107 bytes, and the folder's path may be longer: it is
        // reached through its descriptor.
        let folder = File::open(folder)?;
        let address = format!("/proc/self/fd/{}/{name}", folder.as_raw_fd());
        let mut stream = BufReader::new(UnixStream::connect(address).await?);
        let greeting = read_line(&mut stream).await?;
        if !greeting.contains("\"QMP\"") {
            return Err(QmpError::Malformed(greeting));
        }
        exchange(&mut stream, "qmp_capabilities", json!({})).await?;
        exchange(&mut stream, command, arguments).await
    };
    timeout(limit, talk)
        .await
        .unwrap_or(Err(QmpError::Timeout(limit)))
}

async fn exchange(
    stream: &mut BufReader<UnixStream>,
    command: &str,
    arguments: Value,
) -> Result<Value, QmpError> {
    let mut line = json!({ "execute": command, "arguments": arguments }).to_string();
    line.push('\n');
    stream.write_all(line.as_bytes()).await?;
    loop {
        let line = read_line(stream).await?;
        if let Some(answer) = parse(command, &line)? {
            return Ok(answer);
        }
    }
}

async fn read_line(stream: &mut BufReader<UnixStream>) -> Result<String, QmpError> {
    let mut line = String::new();
    stream.take(LONGEST).read_line(&mut line).await?;
    if line.ends_with('\n') {
        Ok(line)
    } else if line.is_empty() {
        Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())
    } else {
        Err(QmpError::Malformed(line.chars().take(80).collect()))
    }
}

/// Parses the response in `line`; `None` for an event.
fn parse(command: &str, line: &str) -> Result<Option<Value>, QmpError> {
    let malformed = || QmpError::Malformed(line.trim().chars().take(200).collect());
    let mut message: Value = serde_json::from_str(line).map_err(|_| malformed())?;
    if message.get("event").is_some() {
        return Ok(None);
    }
    if let Some(error) = message.get("error") {
        let reason = error
            .get("desc")
            .and_then(Value::as_str)
            .unwrap_or("no reason given");
        return Err(QmpError::Refused {
            command: command.to_owned(),
            reason: reason.to_owned(),
        });
    }
    match message.get_mut("return") {
        Some(answer) => Ok(Some(answer.take())),
        None => Err(malformed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        let found = match parse("stop", line) {
            Ok(Some(answer)) => answer.to_string(),
            Ok(None) => "event".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn answers() {
        check(
            r#"{"return": {"status": "running"}}"#,
            r#"{"status":"running"}"#,
        );
        check(r#"{"return": {}}"#, "{}");
        check(
            r#"{"timestamp": {"seconds": 1}, "event": "SHUTDOWN", "data": {"guest": false}}"#,
            "event",
        );
        check(
            r#"{"error": {"class": "GenericError", "desc": "it can't"}}"#,
            "QEMU refuses stop: it can't",
        );
        check(r#"{"error": 1}"#, "QEMU refuses stop: no reason given");
    }

    #[test]
    fn garbage() {
        check("{}", "QMP: unexpected response: {}");
        check("return", "QMP: unexpected response: return");
        check("[1]", "QMP: unexpected response: [1]");
        check("", "QMP: unexpected response: ");
    }

    /// Runs a command against a server in a deep folder that answers every request with `lines`.
    async fn served(lines: &'static [&'static str]) -> Result<Value, QmpError> {
        let name = format!("qmp-{}-{}", std::process::id(), lines.len());
        let folder = std::env::temp_dir().join(&name);
        let deep = folder.join("d".repeat(120));
        std::fs::create_dir_all(&deep).unwrap();
        let handle = File::open(&deep).unwrap();
        let address = format!("/proc/self/fd/{}/sock", handle.as_raw_fd());
        let listener = tokio::net::UnixListener::bind(address).unwrap();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            for line in lines {
                stream.write_all(line.as_bytes()).await.unwrap();
                stream.write_all(b"\n").await.unwrap();
            }
            // Until the client has sent all its requests and read the responses.
            let _ = stream.shutdown().await;
            let _ = stream.read_to_end(&mut Vec::new()).await;
        });
        let limit = Duration::from_secs(60);
        let answer = execute(&deep, "sock", "query-status", json!({}), limit).await;
        server.abort();
        std::fs::remove_dir_all(folder).unwrap();
        answer
    }

    #[tokio::test]
    async fn a_conversation_skips_events() {
        let answer = served(&[
            r#"{"QMP": {}}"#,
            r#"{"return": {}}"#,
            r#"{"event": "RESUME"}"#,
            r#"{"return": {"status": "running"}}"#,
        ])
        .await;
        assert_eq!(answer.unwrap(), json!({"status": "running"}));
    }

    #[tokio::test]
    async fn a_conversation_that_ends_early() {
        let error = served(&[r#"{"QMP": {}}"#, r#"{"return": {}}"#])
            .await
            .unwrap_err();
        assert!(matches!(error, QmpError::Io(_)), "{error}");
        let error = served(&["SSH-2.0"]).await.unwrap_err();
        assert!(matches!(error, QmpError::Malformed(_)), "{error}");
    }
}
