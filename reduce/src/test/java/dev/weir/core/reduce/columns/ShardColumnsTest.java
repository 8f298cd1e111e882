package dev.weir.core.reduce.columns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigInteger;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;

class ShardColumnsTest {
  private static final byte LONG = 0;
  private static final byte DOUBLE = 1;
  private static final byte DATE = 3;
  private static final byte STRING = 4;
  private static final byte OBJECT = 5;

  private final BytesStreamOutput out = new BytesStreamOutput();

  private void words(String... words) throws IOException {
    out.writeVInt(words.length);
    for (String word : words) {
      out.writeString(word); // the lengths are those of ASCII
    }
  }

  private void column(String name, byte kind, int shape) throws IOException {
    out.writeString(name);
    out.writeByte(kind);
    out.writeByte((byte) shape);
  }

  private void bytes(int... bytes) throws IOException {
    for (int one : bytes) {
      out.writeByte((byte) one);
    }
  }

  private static List<Object> values(ShardColumn column, int row) {
    return IntStream.range(column.start(row), column.end(row)).mapToObj(column::object).toList();
  }

  @Test
  void readsEveryKindAndShape() throws IOException {
    out.writeVInt(3);
    out.writeBoolean(true);
    words("a", "b", "c");
    out.writeVInt(5);
    column("single", LONG, 0);
    bytes(2, 0xff, 0xff, 0, 1, 5, 0); // two bytes each
    column("some", STRING, 1);
    bytes(0b101);
    words("x", "y");
    bytes(1, 1, 0);
    column("many", DOUBLE, 2);
    bytes(2, 0, 1, 4, 0, 0, 0, 0x3f, 0, 0, 0, 0xbf, 0, 0, 0x80, 0x3f); // 0.5, -0.5, 1
    column("day", DATE, 1);
    bytes(0b010, 1, 1);
    column("object", OBJECT, 1);
    bytes(0b100);
    out.writeGenericValue(new BigInteger("18446744073709551615"));

    ShardColumns read = ShardColumns.read(out.bytes().streamInput(), 3);

    assertThat(read.rows()).isEqualTo(3);
    assertThat(values(read.columns().get(0), 0)).containsExactly(-1L);
    assertThat(values(read.columns().get(0), 1)).containsExactly(256L);
    assertThat(values(read.columns().get(0), 2)).containsExactly(5L);
    assertThat(values(read.columns().get(1), 0)).containsExactly("y");
    assertThat(values(read.columns().get(1), 1)).isEmpty();
    assertThat(values(read.columns().get(1), 2)).containsExactly("x");
    assertThat(values(read.columns().get(2), 0)).containsExactly(0.5, -0.5);
    assertThat(values(read.columns().get(2), 1)).isEmpty();
    assertThat(values(read.columns().get(2), 2)).containsExactly(1.0);
    assertThat(values(read.columns().get(3), 1)).containsExactly("1970-01-01T00:00:00.001Z");
    assertThat(values(read.columns().get(4), 2))
        .containsExactly(new BigInteger("18446744073709551615"));
    assertThat(read.toHit(2).getId()).isEqualTo("c");
    assertThat(read.toHit(0).field("many").getValues()).containsExactly(0.5, -0.5);
  }

  @Test
  void rejectsCountsThatDoNotFit() throws IOException {
    out.writeVInt(3);
    out.writeBoolean(false);
    out.writeVInt(1);
    column("single", LONG, 0);
    bytes(8, 1, 2, 3); // one value has more bytes
    BytesReference whole = out.bytes();
    assertThatThrownBy(() -> ShardColumns.read(whole.streamInput(), 3))
        .isInstanceOf(IOException.class);
    for (int length = 0; length < whole.length(); length++) {
      BytesReference part = whole.slice(0, length);
      assertThatThrownBy(() -> ShardColumns.read(part.streamInput(), 3))
          .isInstanceOfAny(IOException.class, IndexOutOfBoundsException.class);
    }
  }

  @Test
  void rejectsWordsThatAreNotThere() throws IOException {
    out.writeVInt(1);
    out.writeBoolean(false);
    out.writeVInt(1);
    column("word", STRING, 0);
    words("only");
    bytes(1, 1);
    assertThatThrownBy(() -> ShardColumns.read(out.bytes().streamInput(), 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("word 1 of 1");
  }

  @Test
  void rejectsAnotherNumberOfRows() throws IOException {
    out.writeVInt(Integer.MAX_VALUE);
    assertThatThrownBy(() -> ShardColumns.read(out.bytes().streamInput(), 3))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("expected: 3");
  }
}
