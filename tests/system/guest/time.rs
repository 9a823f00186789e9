//! Robot time and reproducible random numbers in a tool.

use minismith_protocol::{GuestMessage, HostCall};
use serde_json::json;

use super::context::{Call, host};

const CLOCKS: &str = "
import datetime, time
from time import sleep, monotonic

def clocks():
    began = monotonic(), time.time_ns(), time.perf_counter()
    sleep(2.5)
    today = datetime.date.today()
    moment = datetime.datetime.now(datetime.timezone.utc)
    return {
        'slept': monotonic() - began[0],
        'wall_ns': time.time_ns() - began[1],
        'performance': time.perf_counter() - began[2],
        'moment': moment.isoformat(),
        'utc': datetime.datetime.utcnow().isoformat(),
        'struct': time.gmtime().tm_year,
        'kinds': [isinstance(moment, datetime.date), isinstance(today, datetime.date), isinstance(today, datetime.datetime)],
        'sums': (moment + datetime.timedelta(days=1)).day - moment.day,
        'parsed': datetime.datetime.strptime('2024-02-29', '%Y-%m-%d').isoformat(),
    }
";

#[test]
fn every_clock_follows_robot_time() {
    let played = Call::new(CLOCKS, "clocks").run(&host());
    let value = played.value();
    // The sleep, its cue, and the 20 microsecond reads between them.
    assert!((value["slept"].as_f64().unwrap() - 2.5011).abs() < 1e-6, "{value}");
    assert!((value["wall_ns"].as_u64().unwrap()).abs_diff(2_501_100_000) < 1_000, "{value}");
    assert!((value["performance"].as_f64().unwrap() - 2.5011).abs() < 1e-6, "{value}");
    assert!(value["moment"].as_str().unwrap().starts_with("2023-11-14T22:13:22.501"), "{value}");
    assert!(value["utc"].as_str().unwrap().starts_with("2023-11-14T22:13:22.501"), "{value}");
    assert_eq!(value["struct"], 2023);
    assert_eq!(value["kinds"], json!([true, true, false]));
    assert_eq!(value["sums"], 1);
    assert_eq!(value["parsed"], "2024-02-29T00:00:00");
    assert_eq!(played.cues, [HostCall::Sleep { seconds: 2.5 }]);
}

// What takes longer outside, such as a rehearsal beside others or a cache that was filled by another tool, shows to none.
#[test]
fn no_clock_shows_how_long_work_takes() {
    let source = "
import time

def measure(rounds):
    clocks = [time.time, time.time_ns, time.monotonic, time.monotonic_ns, time.perf_counter, time.perf_counter_ns,
              time.process_time, time.process_time_ns, time.thread_time, time.thread_time_ns]
    began = [clock() for clock in clocks]
    total = 0
    for number in range(rounds):
        total += number
    return [clock() - start for clock, start in zip(clocks, began)]
";
    let measured = |rounds: u32| {
        let played = Call::new(source, "measure").with(json!({"rounds": rounds})).run(&host());
        played.value().clone()
    };
    let idle = measured(0);
    assert_eq!(idle.as_array().unwrap().len(), 10);
    assert_eq!(measured(3_000_000), idle);
}

#[test]
fn loop_that_only_reads_the_clock_ends() {
    let source = "
import time

def wait():
    end = time.monotonic() + 30.0
    looks = 0
    while time.monotonic() < end:
        looks += 1
    return looks
";
    let played = Call::new(source, "wait").run(&host());
    assert_eq!(played.value(), &json!(1_499_999));
    assert!((played.now as f64 / 1e9 - 30.0).abs() < 0.001, "{}", played.now);
}

#[test]
fn asyncio_runs_on_robot_time() {
    let source = "
import asyncio, time

async def ticks(name, every, count, seen):
    for _ in range(count):
        await asyncio.sleep(every)
        seen.append(name)
    return name

async def concert():
    seen, began = [], time.monotonic()
    names = await asyncio.gather(ticks('a', 0.3, 3, seen), ticks('b', 0.5, 2, seen))
    taken = time.monotonic() - began
    try:
        await asyncio.wait_for(asyncio.sleep(50), timeout=0.25)
    except asyncio.TimeoutError:
        seen.append('late')
    async with asyncio.timeout(1):
        async with asyncio.TaskGroup() as group:
            group.create_task(ticks('c', 0.1, 1, seen))
    return {'names': names, 'seen': seen, 'taken': round(taken, 1), 'all': round(time.monotonic() - began, 1)}

def nested():
    return asyncio.run(concert())

async def forever():
    await asyncio.get_running_loop().create_future()
";
    let host = host();
    let played = Call::new(source, "concert").run(&host);
    let expected = json!({"names": ["a", "b"], "seen": ["a", "b", "a", "a", "b", "late", "c"], "taken": 1.0, "all": 1.4});
    assert_eq!(played.value(), &expected);
    assert_eq!(Call::new(source, "nested").run(&host).value(), &expected);
    let stuck = Call::new(source, "forever").run(&host);
    let (kind, message) = stuck.raised();
    assert!(kind == "RuntimeError" && message.contains("can no longer occur"), "{kind}: {message}");
}

#[test]
fn equal_seeds_give_equal_numbers() {
    let source = "
import random, uuid
import numpy as np

def chance():
    return [
        random.random(), random.Random().random(), random.Random(5).random(), np.random.rand(),
        np.random.default_rng().random(), np.random.default_rng().random(), np.random.default_rng(5).random(),
        str(uuid.uuid4()), np.random.RandomState().rand(), list({'x', 'y', 'z', 'w'}),
    ]
";
    let host = host();
    let once = Call::new(source, "chance").run(&host);
    let again = Call::new(source, "chance").run(&host);
    let other = Call { seed: 8, ..Call::new(source, "chance") }.run(&host);
    let (once, again, other) = (once.value(), again.value(), other.value());
    assert_eq!(once, again);
    let differ: Vec<bool> = (0..10).map(|position| once[position] != other[position]).collect();
    // Seeds set by the tool itself (and the order of sets) do not depend on the job's seed.
    assert_eq!(differ, [true, true, false, true, true, true, false, true, true, false]);
    assert_ne!(once[4], once[5]);
}

#[test]
fn executed_lines_are_reported() {
    let source =
        "def pick(big: bool = False) -> str:\n    if big:\n        return 'big'\n    return 'small'\n";
    let played = Call { coverage: true, ..Call::new(source, "pick") }.run(&host());
    let Ok(GuestMessage::Done { lines, .. }) = &played.end else { panic!("{:?}", played.end) };
    assert_eq!(lines["pick"], [1, 2, 4].into());
}
