//! Layout of the shared memory through which the controller passes images to a guest.
//!
//! It consists of a few slots of equal size. The guest alone tracks which slots are free, and names one when it requests an
//! image. The controller writes a slot only on such a request, and never reads from this memory.

/// Number of slots. When all are in use, further images come through the channel, into the tool's own memory.
pub const SLOTS: u8 = 4;

/// Size of a slot in bytes, enough for 1920 by 1080 pixels. Larger images come through the channel.
pub const SLOT_BYTES: usize = 1920 * 1080 * 3;

/// Distance between the beginnings of two slots in bytes: whole pages.
const STRIDE: usize = SLOT_BYTES.next_multiple_of(4096);

/// Size of the shared memory in bytes.
pub const WINDOW_BYTES: usize = STRIDE * SLOTS as usize;

/// Returns the offset of a slot in bytes, or `None` if there is no such slot.
#[must_use]
pub const fn begin(slot: u8) -> Option<usize> {
    if slot < SLOTS { Some(slot as usize * STRIDE) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_do_not_overlap_and_fit() {
        let begins: Vec<usize> = (0..=u8::MAX).map_while(begin).collect();
        assert_eq!(begins.len(), usize::from(SLOTS));
        assert!(begins.windows(2).all(|pair| pair[0] + SLOT_BYTES <= pair[1]));
        assert!(begins.iter().all(|begin| begin % 4096 == 0 && begin + SLOT_BYTES <= WINDOW_BYTES));
        assert_eq!(begin(SLOTS), None);
    }
}
