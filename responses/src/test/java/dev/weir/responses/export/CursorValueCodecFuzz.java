package dev.weir.responses.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;

/** A forged cursor is rejected, or read as values that are written and read back equal. */
class CursorValueCodecFuzz {
  @FuzzTest
  void readsOrRejects(byte[] bytes) throws IOException {
    check(bytes);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void readsOrRejectsDamagedValues(long seed) throws IOException {
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes =
          write(
              new Object[] {
                random.nextLong(), "text\u00e9", null, 1.5, 2.5f, 7, true, BigInteger.TEN.pow(30)
              });
      for (int n = random.nextInt(4); n > 0; n--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      check(bytes);
    }
  }

  private static void check(byte[] bytes) throws IOException {
    @Nullable Object @Nullable [] values;
    try {
      values = read(bytes);
    } catch (IOException | RuntimeException rejected) {
      return;
    }
    assertThat(read(write(values))).isEqualTo(values);
  }

  private static byte[] write(@Nullable Object @Nullable [] values) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      CursorValueCodec.write(values, out);
      return BytesReference.toBytes(out.bytes());
    }
  }

  private static @Nullable Object @Nullable [] read(byte[] bytes) throws IOException {
    try (StreamInput in = new BytesArray(bytes).streamInput()) {
      return CursorValueCodec.read(in);
    }
  }
}
