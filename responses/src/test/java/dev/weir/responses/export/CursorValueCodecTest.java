package dev.weir.responses.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.io.stream.StreamInput;

final class CursorValueCodecTest {
  private static @Nullable Object @Nullable [] copy(@Nullable Object @Nullable [] values)
      throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      CursorValueCodec.write(values, out);
      try (StreamInput in = out.bytes().streamInput()) {
        @Nullable Object[] read = CursorValueCodec.read(in);
        assertThat(in.read()).isNegative();
        return read;
      }
    }
  }

  @Test
  void keepsValuesAndTheirTypes() throws IOException {
    @Nullable Object[] values = {
      Long.MIN_VALUE,
      Long.MAX_VALUE,
      Integer.MIN_VALUE,
      -0.0,
      Double.NaN,
      Double.POSITIVE_INFINITY,
      Float.MIN_VALUE,
      "",
      "größe \uD83D\uDE00 \u0000",
      true,
      false,
      null,
      new BigInteger("18446744073709551615"),
      BigInteger.ZERO
    };
    assertThat(copy(values)).containsExactly(values);
  }

  @Test
  void noValuesAreNone() throws IOException {
    assertThat(copy(null)).isNull();
    assertThat(copy(new Object[0])).isNull();
  }

  @Test
  void refusesTypesThatNoRowIsSortedBy() {
    for (Object value : new Object[] {new BigDecimal("1.5"), Map.of(), 'c', (short) 1}) {
      assertThatThrownBy(() -> copy(new Object[] {value}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(
              "got a row that is sorted by a " + value.getClass().getSimpleName());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {65, 1 << 20, Integer.MAX_VALUE, -1})
  void refusesMoreValuesThanAnyRowHas(int count) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeVInt(count);
      assertThatThrownBy(() -> CursorValueCodec.read(out.bytes().streamInput()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("expected: at most 64");
    }
  }

  @Test
  void refusesUnknownTypesAndEnds() throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeVInt(1);
      assertThatThrownBy(() -> CursorValueCodec.read(out.bytes().streamInput()))
          .isInstanceOf(IOException.class);
      out.writeByte((byte) 9);
      assertThatThrownBy(() -> CursorValueCodec.read(out.bytes().streamInput()))
          .hasMessage("got a value of type 9 (expected: 0 to 8)");
    }
  }
}
