//! Positions that a servo cannot have reached.

use super::*;

/// The positions of one servo as they are read, 10 ms apart, and which are believed.
fn believed(positions: &[i32]) -> Vec<bool> {
    let servos = FakeServos::in_process();
    let mut bus = open(&servos).unwrap();
    let mut results = Vec::new();
    for position in positions {
        servos.advance(CYCLE_PERIOD);
        servos.set(Joint::Stewart2, PRESENT_POSITION, position.cast_unsigned());
        let state = bus.read_state(servos.now()).unwrap();
        let is_believed = match state.readings[Joint::Stewart2] {
            PositionReading::Fresh(position_seen) => position_seen == radians_from_raw(*position),
            _ => false,
        };
        let error = state.read_errors[Joint::Stewart2];
        assert_eq!(error, (!is_believed).then_some(ReadError::Corrupt), "{positions:?}");
        // The others are read as ever.
        assert!(fresh(&state).len() >= 8);
        results.push(is_believed);
    }
    results
}

#[test]
fn a_position_out_of_reach_counts_when_a_second_one_confirms_it() {
    // 0.7 rad, 456 steps, are possible in 10 ms.
    assert_eq!(believed(&[2048, 2400, 2048]), [true, true, true]);
    assert_eq!(believed(&[2048, 655_000, 2048, 2050]), [true, false, true, true]);
    assert_eq!(believed(&[2048, 3500, 3510, 3520]), [true, false, true, true]);
    // Two that contradict each other confirm nothing.
    assert_eq!(believed(&[2048, 655_000, -655_000, 2048]), [true, false, false, true]);
    // A servo may begin anywhere.
    assert_eq!(believed(&[9000, 9001]), [true, true]);
}
