package dev.weir.responses.columnar.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.junit.TestSeed;
import java.io.ByteArrayOutputStream;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;

/** Pieces of any size are written in order. */
class BufferedBytesWriterTest {
  private final long seed = TestSeed.random(BufferedBytesWriterTest.class).nextLong();
  private final Random random = new Random(seed);

  @RepeatedTest(20)
  void keepsTheOrderOfPieces() {
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    BufferedBytesWriter buffer =
        new BufferedBytesWriter(new BytesStreamOutput(BufferedBytesWriter.DEFAULT_CAPACITY));
    if (random.nextBoolean()) {
      buffer.put(new byte[random.nextInt(5000)], 0, 0);
      buffer.put(new byte[5000], 0, random.nextInt(5000));
      buffer.clear();
    }
    byte[] bytes = new byte[6000];
    random.nextBytes(bytes);
    for (int i = random.nextInt(20_000); i > 0; i--) {
      switch (random.nextInt(4)) {
        case 0 -> {
          buffer.put(',');
          expected.write(',');
        }
        case 1 -> {
          int width = 1 << random.nextInt(4);
          long number = random.nextLong();
          buffer.put(number, width);
          for (int k = 0; k < width; k++) {
            expected.write((byte) (number >>> (8 * k)));
          }
        }
        default -> {
          int length = random.nextInt(random.nextInt(100) == 0 ? 5000 : 30);
          int from = random.nextInt(1000);
          buffer.put(bytes, from, length);
          expected.write(bytes, from, length);
        }
      }
    }
    assertThat(BytesReference.toBytes(buffer.bytes()))
        .as("seed %s", seed)
        .isEqualTo(expected.toByteArray());
  }

  @Test
  void putsTheFirstBitLowest() {
    BufferedBytesWriter buffer =
        new BufferedBytesWriter(new BytesStreamOutput(BufferedBytesWriter.DEFAULT_CAPACITY));
    for (int i = 0; i < 19; i++) {
      buffer.putBit(i % 3 == 0);
    }
    assertThat(BytesReference.toBytes(buffer.bytes()))
        .containsExactly(0b0100_1001, 0b1001_0010, 0b100);
  }
}
