package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.util.Set;

class FrameDecoderFuzz {
  @FuzzTest
  void givesAllMemoryBackWhateverComes(FuzzedDataProvider data) throws IOException {
    DecodedFrames decoded = new DecodedFrames(10_000, Set.of(1L));
    try {
      while (data.remainingBytes() > 0) {
        byte[] part = data.consumeBytes(data.consumeInt(1, 64));
        decoded.feed(part, 0, part.length);
        assertThat(decoded.heldMemory()).isLessThanOrEqualTo(10_000);
      }
    } catch (StreamCorruptedException expected) {
      assertThat(expected).hasMessageContaining("got ").hasMessageContaining("(expected: ");
    }
    decoded.close();
    assertThat(decoded.heldMemory()).isZero();
    assertThat(decoded.held.bytes()).isZero();
  }

  @FuzzTest
  void readsTheSameHoweverItIsSplit(FuzzedDataProvider data) throws IOException {
    int split = data.consumeInt(0, 100);
    byte[] bytes = data.consumeRemainingAsBytes();
    int at = Math.min(split, bytes.length);
    assertThat(outcome(bytes, at)).isEqualTo(outcome(bytes, bytes.length));
  }

  private static String outcome(byte[] bytes, int split) throws IOException {
    try (DecodedFrames decoded = new DecodedFrames(10_000, Set.of(1L))) {
      try {
        decoded.feed(bytes, 0, split);
        decoded.feed(bytes, split, bytes.length);
        return decoded.seen.toString();
      } catch (StreamCorruptedException e) {
        return decoded.seen + " " + e.getMessage();
      }
    }
  }
}
