package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is found eight bytes at a time is what is found byte by byte. */
class PackedBytesTest {
  private final Random random = new Random(3);

  @Test
  void findsTheFirstByteThatIsZeroOrNoDigit() {
    byte[] bytes = new byte[8];
    for (int i = 0; i < 200_000; i++) {
      random.nextBytes(bytes);
      for (int k = 0; k < 8; k++) { // many of those about the edges
        if (random.nextBoolean()) {
          bytes[k] = (byte) (new int[] {0, 1, '/', '0', '9', ':', 0x7f, 0x80})[random.nextInt(8)];
        }
      }
      int zero = 0;
      while (zero < 8 && bytes[zero] != 0) {
        zero++;
      }
      int other = 0;
      while (other < 8 && bytes[other] >= '0' && bytes[other] <= '9') {
        other++;
      }
      assertThat(PackedBytes.bytesBelow(PackedBytes.zeroByteMask(PackedBytes.readLong(bytes, 0))))
          .isEqualTo(zero);
      assertThat(PackedBytes.bytesBelow(PackedBytes.nonDigitMask(PackedBytes.readLong(bytes, 0))))
          .isEqualTo(other);
    }
  }

  @Test
  void findsTheFirstOfAnyLength() {
    for (int length = 0; length <= 100; length++) {
      byte[] bytes = new byte[3 + length + 3];
      random.nextBytes(bytes);
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = bytes[i] == '\n' ? (byte) '\r' : bytes[i];
      }
      bytes[2] = '\n'; // before the range
      bytes[3 + length] = '\n'; // and after it
      assertThat(PackedBytes.indexOf(bytes, '\n', 3, 3 + length)).isEqualTo(-1);
      for (int at = 2 + length; at >= 3; at--) {
        bytes[at] = '\n';
        assertThat(PackedBytes.indexOf(bytes, '\n', 3, 3 + length)).isEqualTo(at);
      }
    }
  }

  @Test
  void comparesEachByte() {
    byte[] one = "..abcdefghijklmnopqrstuvwxyzabcdefghijklmn".getBytes(StandardCharsets.US_ASCII);
    for (int length = 0; length <= 40; length++) {
      byte[] other = Arrays.copyOfRange(one, 1, 2 + length); // ends with the last one compared
      assertThat(PackedBytes.isEqual(one, 2, other, 1, length)).isTrue();
      for (int i = 0; i < length; i++) {
        other[1 + i] ^= 0x40;
        assertThat(PackedBytes.isEqual(one, 2, other, 1, length)).isFalse();
        other[1 + i] ^= 0x40;
      }
    }
  }

  @Test
  void looksForEscapesBetweenItsPlacesAlone() {
    for (int length = 0; length <= 20; length++) {
      byte[] text = ("\\" + "\u00fc".repeat(10)).getBytes(StandardCharsets.UTF_8);
      assertThat(JsonBuffer.findEscape(text, 1, 1 + length)).isEqualTo(1 + length);
      for (int i = 1; i < text.length; i++) {
        byte[] escaped = text.clone();
        escaped[i] = '\\';
        int expected = Math.min(i, 1 + length);
        assertThat(JsonBuffer.findEscape(escaped, 1, 1 + length)).isEqualTo(expected);
      }
    }
  }
}
