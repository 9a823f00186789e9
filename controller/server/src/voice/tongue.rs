//! The one that speaks: makes speech of sentences, plays it a little ahead of time, so that it can be cut at once, tells the ear
//! what is played, and lets the head sway with it.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::clock::{Clock, Tick, WallClock};
use minismith_voice::HEARD_RATE;
use minismith_voice::audio::Clip;
use minismith_voice::mouth::{Chime, ENVELOPE_HZ, Mouth, Said, Speech};

use super::Event;
use super::sink::Sink;
use super::sway::Sway;

/// How much is handed to the sink at once: one value of the envelope.
const PIECE: Duration = Duration::from_millis(1000 / ENVELOPE_HZ as u64);

/// How much waits at the sink at most: enough to make the next sentence meanwhile, so that it follows without a gap.
const AHEAD: Duration = Duration::from_millis(300);

/// Less than this may be over before more is handed to it.
const CLOSE: Duration = Duration::from_millis(30);

/// How long the tongue rests before it looks again.
const REST: Duration = Duration::from_millis(5);

/// What the tongue is told.
pub(super) enum Order {
    /// A text, and the number of this order.
    Say(String, u64),
    Chime(Chime),
    Cut,
}

/// What is played, for the ear.
pub(super) enum Sounding {
    /// From then on, or right behind what was played before, these samples of [`HEARD_RATE`], in which this is said.
    Playing { at: Tick, follows: bool, samples: Vec<f32>, sentence: String },
    /// Nothing more from then on.
    Silenced(Tick),
}

/// Where the tongue is told; dropping it ends the thread.
pub(super) struct Tongue {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

impl Tongue {
    pub(super) fn start(
        speech: Box<dyn Speech + Send>,
        volume: f64,
        sink: Box<dyn Sink>,
        sway: Option<Sway>,
        clock: WallClock,
        ear: Sender<Sounding>,
        desk: Sender<Event>,
    ) -> std::io::Result<Self> {
        let (orders, inbox) = channel();
        let mut mouth = Mouth::new(speech);
        mouth.set_volume(volume as f32);
        let mut speaking = Speaking { mouth, sink, sway, ear, desk, clock, said: 0 };
        let thread = std::thread::Builder::new().name("tongue".into()).spawn(move || speaking.run(&inbox))?;
        Ok(Tongue { orders: Some(orders), thread: Some(thread) })
    }

    pub(super) fn tell(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // It ends only with this.
            let _heard = orders.send(order);
        }
    }
}

impl Drop for Tongue {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

struct Speaking {
    mouth: Mouth<Box<dyn Speech + Send>>,
    sink: Box<dyn Sink>,
    sway: Option<Sway>,
    ear: Sender<Sounding>,
    desk: Sender<Event>,
    clock: WallClock,
    /// The number of the last order to say something.
    said: u64,
}

impl Speaking {
    fn run(&mut self, inbox: &Receiver<Order>) {
        while let Ok(order) = inbox.recv() {
            self.take(order);
            while !self.mouth.is_silent() {
                let made = self.mouth.speak();
                // Making it may have taken long, and nobody may want it any more.
                let mut is_cut = false;
                while let Ok(order) = inbox.try_recv() {
                    is_cut |= self.take(order);
                }
                match made {
                    Ok(_) if is_cut => {}
                    Ok(Some(said)) => {
                        if !self.play(&said, inbox) {
                            break;
                        }
                    }
                    Ok(None) => break,
                    Err(fault) => self.tell(Event::Trouble(fault.to_string())),
                }
            }
            self.tell(Event::AllSaid(self.said));
        }
    }

    fn tell(&self, event: Event) {
        // Whoever listened may have gone.
        let _heard = self.desk.send(event);
    }

    /// Whether it was a cut.
    fn take(&mut self, order: Order) -> bool {
        match order {
            Order::Say(text, number) => {
                self.mouth.say(&text);
                self.said = number;
            }
            Order::Chime(chime) => self.mouth.chime(chime),
            Order::Cut => {
                self.mouth.cut();
                return true;
            }
        }
        false
    }

    /// Plays a sentence to its end; false where it was cut.
    fn play(&mut self, said: &Said, inbox: &Receiver<Order>) -> bool {
        let Some((clip, heard)) = self.prepared(said) else { return true };
        let after = self.sink.waiting();
        let at = self.clock.now() + after;
        let (follows, sentence) = (after > CLOSE, said.sentence.clone());
        // The ear may have gone; then nobody needs to know.
        let _heard = self.ear.send(Sounding::Playing { at, follows, samples: heard, sentence });
        self.tell(Event::Speaking { sentence: said.sentence.clone(), lasts: clip.duration() });
        if let Some(sway) = &mut self.sway {
            sway.begin();
        }
        let step = minismith_voice::audio::samples_in(PIECE, clip.rate).max(1);
        let mut swayed = 0;
        let pieces = clip.samples.chunks(step);
        let count = pieces.len();
        for (queued, piece) in pieces.enumerate() {
            while self.sink.waiting() > AHEAD {
                if self.is_cut(inbox) {
                    return false;
                }
                self.follow(&said.envelope, queued, &mut swayed);
            }
            self.sink.play(piece);
        }
        while self.mouth.is_silent() && !self.sink.waiting().is_zero() {
            if self.is_cut(inbox) {
                return false;
            }
            self.follow(&said.envelope, count, &mut swayed);
        }
        if let Some(sway) = &mut self.sway {
            sway.end();
        }
        true
    }

    /// The head follows what sounds by now of the pieces that were handed to the sink.
    fn follow(&mut self, envelope: &[f32], queued: usize, swayed: &mut usize) {
        let Some(sway) = &mut self.sway else { return };
        let waiting = self.sink.waiting().as_nanos() / PIECE.as_nanos();
        let sounding = queued.saturating_sub(usize::try_from(waiting).unwrap_or(usize::MAX));
        while *swayed < sounding {
            sway.follow(envelope.get(*swayed).copied().unwrap_or_default(), PIECE.as_secs_f64());
            *swayed += 1;
        }
    }

    /// Waits a moment; whether somebody cut it meanwhile.
    fn is_cut(&mut self, inbox: &Receiver<Order>) -> bool {
        match inbox.recv_timeout(REST) {
            Ok(order) => {
                if !self.take(order) {
                    return false;
                }
                self.sink.cut();
                let _heard = self.ear.send(Sounding::Silenced(self.clock.now()));
                if let Some(sway) = &mut self.sway {
                    sway.end();
                }
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            // The end of all: what is being said is not said to its end.
            Err(RecvTimeoutError::Disconnected) => {
                self.mouth.cut();
                self.sink.cut();
                true
            }
        }
    }

    /// The sentence at the sink's rate and at the ear's.
    fn prepared(&self, said: &Said) -> Option<(Clip, Vec<f32>)> {
        let at = |rate| said.clip.resampled(rate);
        match (at(self.sink.rate()), at(HEARD_RATE)) {
            (Ok(clip), Ok(heard)) => Some((clip, heard.samples)),
            (Err(fault), _) | (_, Err(fault)) => {
                self.tell(Event::Trouble(fault.to_string()));
                None
            }
        }
    }
}
