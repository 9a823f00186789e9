//! The window: memory that a guest only reads, and into which the controller lays pictures.
//!
//! It has a few slots of one size. The guest alone knows which of them are free, and names one when it asks for a
//! picture; the controller writes to a slot only when it is named. Nothing in it is ever read by the controller.

/// How many pictures a tool may keep that lie in the window. What it takes beside them comes through its channel, into
/// memory of its own.
pub const SLOTS: u8 = 4;

/// The largest picture that has room in a slot, bytes: 1920 by 1080 pixels. A larger one comes through the channel.
pub const SLOT_BYTES: usize = 1920 * 1080 * 3;

/// From the beginning of a slot to that of the next, bytes: whole pages.
const STRIDE: usize = SLOT_BYTES.next_multiple_of(4096);

/// The whole window, bytes.
pub const WINDOW_BYTES: usize = STRIDE * SLOTS as usize;

/// Where a slot begins in the window; none when there is no such slot.
#[must_use]
pub const fn begin(slot: u8) -> Option<usize> {
    if slot < SLOTS { Some(slot as usize * STRIDE) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_lie_one_behind_the_other_and_inside() {
        let begins: Vec<usize> = (0..=u8::MAX).map_while(begin).collect();
        assert_eq!(begins.len(), usize::from(SLOTS));
        assert!(begins.windows(2).all(|pair| pair[0] + SLOT_BYTES <= pair[1]));
        assert!(begins.iter().all(|begin| begin % 4096 == 0 && begin + SLOT_BYTES <= WINDOW_BYTES));
        assert_eq!(begin(SLOTS), None);
    }
}
