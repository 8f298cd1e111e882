package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteable;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.common.text.Text;

class FrameStreamInputTest {
  private record Shape(String name) implements NamedWriteable {
    Shape(StreamInput in) throws IOException {
      this(in.readString());
    }

    @Override
    public String getWriteableName() {
      return "shape";
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
      out.writeString(name);
    }
  }

  private static final NamedWriteableRegistry REGISTRY =
      new NamedWriteableRegistry(
          List.of(new NamedWriteableRegistry.Entry(NamedWriteable.class, "shape", Shape::new)));

  private static byte[] written(Writeable content) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      content.writeTo(out);
      return BytesReference.toBytes(out.bytes());
    }
  }

  /** Creates a window in the middle of bytes 0xFF, so that reading beyond it is detected. */
  private static FrameStreamInput window(byte[] content, int length) {
    byte[] around = new byte[content.length + 64];
    Arrays.fill(around, (byte) 0xFF);
    System.arraycopy(content, 0, around, 32, length);
    return new FrameStreamInput(
        new BytesArray(around, 32, length), Version.CURRENT, REGISTRY, false);
  }

  private static FrameStreamInput all(byte[] content) {
    return window(content, content.length);
  }

  @Test
  void readsNumbersOfEveryLength() throws IOException {
    List<Long> longs = new ArrayList<>();
    for (int bit = 0; bit < 64; bit++) {
      for (long near = -1; near <= 1; near++) {
        longs.add((1L << bit) + near);
        longs.add(-(1L << bit) + near);
      }
    }
    byte[] bytes =
        written(out -> {
          for (long value : longs) {
            out.writeVInt((int) value);
            out.writeInt((int) value);
            out.writeLong(value);
            out.writeZLong(value);
            out.writeVLong(value & Long.MAX_VALUE);
            out.writeShort((short) value);
            out.writeDouble((double) value);
            out.writeFloat((float) value);
          }
        });

    FrameStreamInput in = all(bytes);

    for (long value : longs) {
      assertThat(in.readVInt()).isEqualTo((int) value);
      assertThat(in.readInt()).isEqualTo((int) value);
      assertThat(in.readLong()).isEqualTo(value);
      assertThat(in.readZLong()).isEqualTo(value);
      assertThat(in.readVLong()).isEqualTo(value & Long.MAX_VALUE);
      assertThat(in.readShort()).isEqualTo((short) value);
      assertThat(in.readDouble()).isEqualTo((double) value);
      assertThat(in.readFloat()).isEqualTo((float) value);
    }
    assertThat(in.available()).isZero();
    assertThat(in.position()).isEqualTo(bytes.length);
    assertThat(in.read()).isEqualTo(-1);
  }

  @Test
  void readsStringsOfEveryWidth() throws IOException {
    SplittableRandom random = new SplittableRandom(7);
    List<String> texts =
        new ArrayList<>(List.of("", "a", "ß", "水", "😀", "\0", "\u0080\u07ff\u0800"));
    for (int ascii = 0; ascii < 20; ascii++) {
      texts.add("a".repeat(ascii) + "水".repeat(20 - ascii) + "b".repeat(ascii));
    }
    for (int i = 0; i < 2_000; i++) {
      int length = random.nextInt(i % 100 == 0 ? 5_000 : 40);
      int bound = new int[] {0x80, 0x800, 0x10000, 0xD800}[random.nextInt(4)];
      StringBuilder text = new StringBuilder();
      for (int c = 0; c < length; c++) {
        text.append((char) random.nextInt(random.nextInt(8) == 0 ? bound : 0x80));
      }
      texts.add(text.toString());
    }
    byte[] bytes = written(out -> out.writeStringCollection(texts));

    assertThat(all(bytes).readStringList()).isEqualTo(texts);

    FrameStreamInput skipping = all(bytes);
    for (int left = skipping.readVInt(); left > 0; left--) {
      skipping.skipString();
    }
    assertThat(skipping.available()).isZero();
  }

  @Test
  void readsGenericValuesAsOpenSearchDoes() throws IOException {
    Map<String, Object> value = new LinkedHashMap<>();
    value.put("text", "grün 水");
    value.put("list", List.of(1, 2L, 3.5, 4.5f, true));
    value.put("bytes", new byte[] {1, 2, 3});
    value.put("array", new Object[] {"x", 1});
    value.put("when", ZonedDateTime.of(2026, 11, 21, 1, 2, 3, 0, ZoneOffset.UTC));
    value.put("longs", new long[] {1, -1});
    value.put("deep", Map.of("a", Map.of("b", List.of(Map.of("c", "d")))));
    byte[] bytes = written(out -> out.writeGenericValue(value));

    Object read = all(bytes).readGenericValue();

    Object expected = StreamInput.wrap(bytes).readGenericValue();
    assertThat(read).usingRecursiveComparison().isEqualTo(expected);
  }

  @Test
  void readsNamedWriteables() throws IOException {
    byte[] bytes =
        written(out -> {
          out.writeNamedWriteable(new Shape("round"));
          out.writeOptionalNamedWriteable(new Shape("square"));
          out.writeString("triangle");
        });

    FrameStreamInput in = all(bytes);

    assertThat(in.readNamedWriteable(NamedWriteable.class)).isEqualTo(new Shape("round"));
    assertThat(in.readOptionalNamedWriteable(NamedWriteable.class)).isEqualTo(new Shape("square"));
    assertThat(in.readNamedWriteable(NamedWriteable.class, "shape"))
        .isEqualTo(new Shape("triangle"));
    assertThat(in.namedWriteableRegistry()).isSameAs(REGISTRY);
  }

  @Test
  void namesAnUnknownNamedWriteable() throws IOException {
    byte[] bytes = written(out -> out.writeString("blob"));

    assertThatThrownBy(() -> all(bytes).readNamedWriteable(NamedWriteable.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("blob");
  }

  @Test
  void slicesByteReferencesUnlessItCopies() throws IOException {
    byte[] bytes =
        written(out -> {
          out.writeBytesReference(new BytesArray("document"));
          out.writeOptionalBytesReference(null);
          out.writeText(new Text("text"));
        });
    FrameStreamInput slicing =
        new FrameStreamInput(new BytesArray(bytes), Version.CURRENT, REGISTRY, false);
    FrameStreamInput copying =
        new FrameStreamInput(new BytesArray(bytes), Version.CURRENT, REGISTRY, true);

    BytesReference slice = slicing.readBytesReference();
    BytesReference copy = copying.readBytesReference();

    assertThat(slice).isEqualTo(new BytesArray("document")).isEqualTo(copy);
    assertThat(slice.toBytesRef().bytes).isSameAs(bytes);
    assertThat(copy.toBytesRef().bytes).isNotSameAs(bytes);
    assertThat(slicing.readOptionalBytesReference()).isNull();
    assertThat(slicing.readText().string()).isEqualTo("text");
  }

  @Test
  void givesTheSameShortStringAgain() throws IOException {
    FrameStreamInput in =
        all(
            written(out -> {
              for (String name : List.of("avg", "a", "avg", "azg", "", "a", "avg", "é", "azg")) {
                out.writeString(name);
              }
            }));

    String first = in.readString();

    assertThat(first).isEqualTo("avg");
    assertThat(in.readString()).isEqualTo("a");
    assertThat(in.readString()).isSameAs(first);
    assertThat(in.readString()).isEqualTo("azg"); // in the place of the other
    assertThat(in.readString()).isEmpty();
    assertThat(in.readString()).isEqualTo("a");
    assertThat(in.readString()).isEqualTo("avg");
    assertThat(in.readString()).isEqualTo("é");
    assertThat(in.readString()).isEqualTo("azg");
  }

  @Test
  void goesBackToItsMark() throws IOException {
    FrameStreamInput in = all(new byte[] {1, 2, 3});
    in.readByte();
    in.mark(0);
    in.readByte();

    assertThat(in.markSupported()).isTrue();
    in.reset();
    assertThat(in.readByte()).isEqualTo((byte) 2);
  }

  @Test
  void failsAtTheEndOfItsWindowWhereverThatIs() throws IOException {
    byte[] bytes =
        written(out -> {
          out.writeVInt(1 << 30);
          out.writeVLong(1L << 60);
          out.writeInt(1);
          out.writeLong(1);
          out.writeString("ascii, longer than eight");
          out.writeString("wïde 水水水");
          out.writeBytesReference(new BytesArray("some bytes"));
          out.writeStringArray(new String[] {"a", "b"});
          out.writeVInt(300);
        });
    for (int length = 0; length < bytes.length; length++) {
      FrameStreamInput in = window(bytes, length);
      assertThatThrownBy(() -> readAll(in))
          .as("cut at %d of %d", length, bytes.length)
          .isInstanceOf(EOFException.class)
          .hasMessageStartingWith("read beyond the frame: got ");
    }
    readAll(all(bytes));
  }

  private static void readAll(FrameStreamInput in) throws IOException {
    in.readVInt();
    in.readVLong();
    in.readInt();
    in.readLong();
    in.readString();
    in.readString();
    in.readBytesReference();
    in.readStringArray();
    in.readVInt();
  }

  @Test
  void refusesLengthsBeyondTheWindowBeforeTakingMemory() throws IOException {
    byte[] huge = written(out -> out.writeVInt(Integer.MAX_VALUE - 100));
    byte[] negative = written(out -> out.writeVInt(-5));

    for (byte[] bytes : List.of(huge, negative)) {
      assertThatThrownBy(() -> all(bytes).readString()).isInstanceOf(EOFException.class);
      assertThatThrownBy(() -> all(bytes).skipString()).isInstanceOf(EOFException.class);
      assertThatThrownBy(() -> all(bytes).readBytesReference()).isInstanceOf(Exception.class);
      assertThatThrownBy(() -> all(bytes).readStringList()).isInstanceOf(Exception.class);
      assertThatThrownBy(() -> all(bytes).readLongArray()).isInstanceOf(Exception.class);
    }
    assertThatThrownBy(() -> all(new byte[] {-1, -1, -1, -1}).readText())
        .isInstanceOf(EOFException.class);
    assertThatThrownBy(() -> all(new byte[] {1, 2}).readBytesReference(-1))
        .isInstanceOf(EOFException.class);
  }

  @Test
  void refusesBrokenVintsAndStrings() {
    byte[] endless = {-1, -1, -1, -1, -1, 1};
    assertThatThrownBy(() -> all(endless).readVInt())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("vint too long");
    assertThatThrownBy(() -> window(endless, 5).readVInt()).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> all(new byte[] {2, (byte) 0xBF, 'a', 'b'}).readString())
        .isInstanceOf(IOException.class)
        .hasMessage("got a string with a lead byte of bf (expected: modified UTF-8)");
  }

  @Test
  void readsAndSkipsAsAnInputStream() throws IOException {
    FrameStreamInput in = all(new byte[] {1, 2, 3, 4, 5, 6});
    byte[] some = new byte[4];

    assertThat(in.read(some, 1, 2)).isEqualTo(2);
    assertThat(some).containsExactly(0, 1, 2, 0);
    assertThat(in.skip(2)).isEqualTo(2);
    assertThat(in.skip(-1)).isZero();
    assertThat(in.read(some, 0, 4)).isEqualTo(2);
    assertThat(in.read(some, 0, 4)).isEqualTo(-1);
    assertThat(in.skip(9)).isZero();
  }
}
