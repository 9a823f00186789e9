//! `minismith listen` with and without speech services: services that answer, that are down, slow or wrong; invalid
//! files and microphones.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use minismith_tests::{CommandOutput, TestDir, workspace};
use minismith_voice::audio::{Clip, level};
use serde_json::Value;

use super::speech_fixture::{padded, spoken};

/// The response of a service: status, content type and body. Without a body it sends nothing until the client
/// disconnects.
type Answer = (u16, &'static str, Option<Vec<u8>>);

/// A local service that stores its requests.
struct Service {
    port: u16,
    asked: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Service {
    fn start(answer: Answer) -> Self {
        Service::choosing(move |_| answer.clone())
    }

    /// The same, with a response that depends on the request.
    fn choosing(answer: impl Fn(&str) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::<Mutex<Vec<Vec<u8>>>>::default();
        let stored = asked.clone();
        thread::spawn(move || {
            while let Ok((mut stream, _)) = listener.accept() {
                let Some(request) = request(&mut stream) else { continue };
                let (status, kind, body) = answer(&String::from_utf8_lossy(&request));
                stored.lock().unwrap().push(request);
                let Some(body) = body else {
                    let mut piece = [0; 64];
                    while matches!(stream.read(&mut piece), Ok(read) if read > 0) {}
                    continue;
                };
                let head = format!(
                    "HTTP/1.1 {status} So\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
                    body.len()
                );
                // The client may have disconnected.
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
            }
        });
        Service { port, asked }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|asked| String::from_utf8_lossy(asked).into_owned()).collect()
    }
}

/// Returns the head and the body of one request.
fn request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length =
                head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
            if bytes.len() >= end + 4 + length.unwrap_or(0_usize) {
                return Some(bytes);
            }
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
        }
    }
}

/// Returns a test folder with the installed models and these keys of `voice`.
fn bench(keys: &str) -> TestDir {
    let models = workspace().join(".cache/models");
    TestDir::configured(&format!("models: {{directory: {}}}\nvoice: {{{keys}}}\n", models.display()))
}

/// Runs `listen` on a spoken sentence with more arguments.
fn ran(bench: &TestDir, text: &str, more: &[&str]) -> CommandOutput {
    let wav = bench.path("said.wav");
    padded(&spoken(text, "en-us", 160), 0.3, 0.8).save(&wav).unwrap();
    let mut arguments = vec!["listen", "--json", "--robot", "mock", "--input", wav.to_str().unwrap()];
    arguments.extend(more);
    bench.run(&arguments)
}

/// Returns the printed lines.
fn lines(ran: &CommandOutput) -> Vec<Value> {
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same for a sentence after which the command succeeds.
fn listened(bench: &TestDir, text: &str, more: &[&str]) -> Vec<Value> {
    lines(&ran(bench, text, more).exits(0))
}

fn events<'a>(reported: &'a [Value], name: &str) -> Vec<&'a Value> {
    reported.iter().filter(|one| one["event"] == name).collect()
}

#[test]
fn service_transcribes_speech() {
    let service =
        Service::start((200, "application/json", Some(br#"{"text": " look right 15 degrees\n"}"#.into())));
    let bench = bench(&format!("transcription: [{{url: {}, model: whisper-1}}]", service.url()));
    let reported = listened(&bench, "look left", &["--no-speech"]);
    assert_eq!(events(&reported, "heard")[0]["means"], "look right 15 degrees");
    let yaw = &events(&reported, "reply")[0]["reply"]["steps"][0]["achieved"]["yaw_deg"];
    assert!((yaw.as_f64().unwrap() + 15.0).abs() < 1.0, "{yaw}");
    let [asked] = service.asked().try_into().unwrap();
    for part in ["POST /v1/audio/transcriptions", "multipart/form-data", "whisper-1", "speech.wav", "RIFF"] {
        assert!(asked.contains(part), "{part}");
    }
}

#[test]
fn service_streams_partial_transcripts() {
    let stream = "data: {\"type\":\"transcript.text.delta\",\"delta\":\"look\",\"logprobs\":[{\"logprob\":-0.1}]}\n\n\
                  data: {\"type\":\"transcript.text.delta\",\"delta\":\" right\",\"logprobs\":[{\"logprob\":-0.1}]}\n\n\
                  data: {\"type\":\"transcript.text.delta\",\"delta\":\" 15 degrees\"}\n\n\
                  data: {\"type\":\"transcript.text.done\",\"text\":\"Look right 15 degrees.\"}\n\n";
    let service = Service::start((200, "text/event-stream; charset=utf-8", Some(stream.into())));
    let bench = bench(&format!("transcription: [{{url: {}, model: gpt-4o-mini-transcribe}}]", service.url()));
    let reported = listened(&bench, "look left", &["--no-speech"]);
    let partials: Vec<&str> =
        events(&reported, "partial").iter().filter_map(|partial| partial["text"].as_str()).collect();
    assert!(partials.ends_with(&["look", "look right", "look right 15 degrees"]), "{partials:?}");
    let heard = events(&reported, "heard")[0];
    assert_eq!(heard["means"], "Look right 15 degrees.");
    assert!((heard["confidence"].as_f64().unwrap() - 0.905).abs() < 0.01, "{heard}");
    let [asked] = service.asked().try_into().unwrap();
    for part in
        ["name=\"stream\"\r\n\r\ntrue", "name=\"include[]\"\r\n\r\nlogprobs", "name=\"language\"\r\n\r\nen"]
    {
        assert!(asked.contains(part), "{part}: {asked}");
    }
}

#[test]
fn service_receives_only_common_parameters_when_it_rejects_others() {
    let service = Service::choosing(|asked| {
        if asked.contains("name=\"stream\"") || asked.contains("verbose_json") {
            (400, "application/json", Some(br#"{"error": {"message": "Unknown parameter"}}"#.into()))
        } else {
            (200, "application/json", Some(br#"{"text": "look right 15 degrees"}"#.into()))
        }
    });
    for model in ["gpt-4o-transcribe", "whisper-1"] {
        let bench = bench(&format!("transcription: [{{url: {}, model: {model}}}]", service.url()));
        let reported = listened(&bench, "look left", &["--no-speech"]);
        assert_eq!(events(&reported, "heard")[0]["means"], "look right 15 degrees", "{reported:?}");
        assert!(events(&reported, "trouble").is_empty(), "{reported:?}");
    }
    assert_eq!(service.asked().len(), 4);
}

#[test]
fn stop_recognised_only_by_the_service_stops_the_robot() {
    for (stream, is_stop) in [
        ("data: {\"delta\":\"Stop\"}\n\ndata: {\"delta\":\" it\"}\n\ndata: {\"delta\":\" now\"}\n\n", true),
        ("data: {\"delta\":\"Stop\"}\n\ndata: {\"text\":\"Stop!\"}\n\n", true),
        ("data: {\"delta\":\"look\"}\n\ndata: {\"delta\":\" left\"}\n\n", false),
    ] {
        let service = Service::start((200, "text/event-stream", Some(stream.into())));
        let bench = bench(&format!("transcription: [{{url: {}, model: m}}]", service.url()));
        let reported = lines(&ran(&bench, "look left", &["--no-speech"]));
        assert_eq!(events(&reported, "stop").len(), usize::from(is_stop), "{stream}: {reported:?}");
        assert_eq!(
            events(&reported, "reply")[0]["said"],
            if is_stop { "stop" } else { "look left" },
            "{reported:?}"
        );
    }
}

#[test]
fn local_recognition_replaces_a_failed_service() {
    let down = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://127.0.0.1:{}/v1", listener.local_addr().unwrap().port())
    };
    let slow = Service::start((200, "application/json", None));
    let broken = Service::start((500, "text/plain", Some(b"no seats left".into())));
    let wrong = Service::start((200, "application/json", Some(br#"{"txt": "nod"}"#.into())));
    let endless = Service::start((200, "application/json", Some(vec![b' '; 40 << 20])));
    for (url, why) in [
        (down, "Connection refused"),
        (slow.url(), ""),
        (broken.url(), "no seats left"),
        (wrong.url(), "missing field"),
        (endless.url(), ""),
    ] {
        let bench = bench(&format!("transcription: [{{url: {url}, model: m}}]"));
        let reported = listened(&bench, "look left", &["--no-speech"]);
        let means = events(&reported, "heard")[0]["means"].as_str().unwrap().to_lowercase();
        assert!(means.starts_with("look left"), "{reported:?}");
        let error = events(&reported, "trouble")[0]["text"].as_str().unwrap();
        println!("{error}");
        assert!(error.contains(&url) && error.contains(why), "{error}");
        assert!(error.contains("this computer transcribes"), "{error}");
        assert_eq!(events(&reported, "reply")[0]["reply"]["outcome"], "done");
    }
}

#[test]
fn local_speech_replaces_a_failed_service() {
    let tone: Vec<f32> = (0..16_000).map(|n| 0.5 * (n as f32 * 0.3).sin()).collect();
    let spoken_there = Clip::new(16_000, tone).to_bytes().unwrap();
    let good = Service::start((200, "audio/wav", Some(spoken_there)));
    let wrong = Service::start((200, "audio/mpeg", Some(b"ID3 this is no sound".into())));
    for (service, is_tone) in [(&good, true), (&wrong, false)] {
        let bench = bench(&format!("speech: [{{url: {}, model: tts-1, voice: alloy}}]", service.url()));
        let out = bench.path("answer.wav");
        let reported = listened(&bench, "look left", &["--output", out.to_str().unwrap()]);
        assert!(!events(&reported, "speaking").is_empty(), "{reported:?}");
        let said = Clip::open(&out).unwrap();
        assert!(level(&said.samples) > -40.0, "{}", level(&said.samples));
        let lasts = said.duration().as_secs_f64();
        assert_eq!((lasts - 1.0).abs() < 0.05, is_tone, "{lasts}");
        let asked = service.asked();
        assert!(asked[0].contains("POST /v1/audio/speech") && asked[0].contains("alloy"), "{asked:?}");
    }
}

#[test]
fn unreadable_audio_is_rejected_with_a_message() {
    let here = bench("microphone: \"plughw:77,0\"");
    here.run(&["listen"]).is_error(&["plughw:77,0", "arecord -L"]);
    bench("microphone: none").run(&["listen"]).is_error(&["there is no microphone", "--input FILE"]);
    let noise = here.write("noise.wav", "this is no sound at all");
    here.run(&["listen", "--input", noise.to_str().unwrap()]).is_error(&["noise.wav"]);
    here.run(&["listen", "--input", "gone.wav"]).is_error(&["gone.wav"]);
    let without = TestDir::configured("models: {directory: nowhere}");
    let wav = without.path("said.wav");
    spoken("look left", "en-us", 160).save(&wav).unwrap();
    without.run(&["listen", "--input", wav.to_str().unwrap()]).is_error(&["make models"]);
    let nowhere = ["listen", "--input", wav.to_str().unwrap(), "--output", "/no/such/folder/answer.wav"];
    here.run(&nowhere).is_error(&["/no/such/folder/answer.wav"]);
    let overheard = bench("transcription: [{url: http://example.org/v1, model: m}]");
    overheard
        .run(&["listen", "--input", wav.to_str().unwrap()])
        .is_error(&["voice.transcription[0]", "plain http"]);
}

#[test]
fn audio_files_of_common_sample_rates_are_recognised() {
    let bench = bench("");
    for rate in [8_000, 11_025, 44_100, 48_000] {
        let wav = bench.path("said.wav");
        let clip = padded(&spoken("turn your head to the left", "en-us", 160), 0.3, 0.5);
        clip.resampled(rate).unwrap().save(&wav).unwrap();
        let ran = bench
            .run(&["listen", "--no-speech", "--robot", "mock", "--input", wav.to_str().unwrap()])
            .exits(0);
        assert!(ran.out.contains("look left 20 deg"), "{rate}: {} {}", ran.out, ran.err);
    }
}

#[test]
fn unclear_speech_prompts_a_question_and_moves_nothing() {
    let reported = listened(&bench("min_confidence: 1"), "look left", &["--no-speech"]);
    assert_eq!(events(&reported, "ignored")[0]["why"], "it was not heard well enough", "{reported:?}");
    let asked = events(&reported, "answer")[0]["text"].as_str().unwrap();
    assert!(asked.contains("say that again"), "{asked}");
    assert!(events(&reported, "reply").is_empty(), "{reported:?}");
}

#[test]
fn robot_plays_a_sound_when_it_wakes_and_sleeps() {
    let bench = bench("");
    let out = bench.path("answer.wav");
    for sentence in ["wake up", "go to sleep"] {
        let reported = listened(&bench, sentence, &["--output", out.to_str().unwrap()]);
        let spoken = events(&reported, "speaking");
        assert_eq!(spoken[0]["sentence"], "", "a sound without words comes first: {reported:?}");
        assert!(
            spoken.len() > 1 && events(&reported, "reply")[0]["reply"]["outcome"] == "done",
            "{reported:?}"
        );
        assert!(level(&Clip::open(&out).unwrap().samples) > -45.0);
    }
}

#[test]
fn session_remembers_utterances() {
    let bench = bench("");
    let reported = listened(&bench, "look left", &["--no-speech", "--session", "evening"]);
    assert_eq!(events(&reported, "reply").len(), 1);
    let session = bench.run(&["session", "show", "evening"]).exits(0).out.to_lowercase();
    assert!(session.contains("look left"), "{session}");
}
