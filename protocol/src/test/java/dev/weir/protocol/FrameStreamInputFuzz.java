package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.opensearch.Version;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;

class FrameStreamInputFuzz {
  private static final NamedWriteableRegistry EMPTY = new NamedWriteableRegistry(List.of());

  /** Leaves out the readers that allocate as much memory as a length field of the input claims. */
  private static final List<Writeable.Reader<?>> READERS =
      List.of(
          StreamInput::readVInt,
          StreamInput::readVLong,
          StreamInput::readZLong,
          StreamInput::readInt,
          StreamInput::readLong,
          StreamInput::readString,
          StreamInput::readOptionalString,
          StreamInput::readStringArray,
          StreamInput::readBytesReference,
          StreamInput::readLongArray,
          StreamInput::readException,
          in -> in.readMap(StreamInput::readString, StreamInput::readStringList));

  /** The gateway's input accepts and rejects the same bytes as OpenSearch's own input. */
  @FuzzTest
  void readsWhatOpenSearchReads(FuzzedDataProvider data) throws IOException {
    Writeable.Reader<?> reader = READERS.get(data.consumeInt(0, READERS.size() - 1));
    byte[] content = data.consumeRemainingAsBytes();
    byte[] around = new byte[content.length + 32];
    Arrays.fill(around, (byte) 1);
    System.arraycopy(content, 0, around, 16, content.length);
    BytesArray window = new BytesArray(around, 16, content.length);
    FrameStreamInput ours = new FrameStreamInput(window, Version.CURRENT, EMPTY, false);
    StreamInput theirs = new BytesArray(content).streamInput();

    String read = outcome(reader, ours);

    assertThat(read).isEqualTo(outcome(reader, theirs));
    assertThat(ours.position()).isBetween(0, content.length);
    assertThat(ours.available()).isEqualTo(content.length - ours.position());
  }

  private static String outcome(Writeable.Reader<?> reader, StreamInput in) {
    try {
      Object value = reader.read(in);
      String text =
          value instanceof Throwable error ? error.getClass() + error.getMessage() : deep(value);
      return text + " then " + in.available();
    } catch (IOException | RuntimeException e) {
      return "refused";
    }
  }

  private static String deep(Object value) {
    return Arrays.deepToString(new Object[] {value}).replaceAll("@[0-9a-f]+", "@");
  }

  /** Nested values are read or rejected with memory in proportion to the bytes. */
  @FuzzTest
  void readsOrRefusesGenericValues(byte[] content) {
    FrameStreamInput in =
        new FrameStreamInput(new BytesArray(content), Version.CURRENT, EMPTY, false);
    try {
      in.readGenericValue();
    } catch (IOException | RuntimeException refused) {
      assertThat(refused).isNotInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThat(in.position()).isBetween(0, content.length);
  }

  /** Skipping a string ends where reading it ends. */
  @FuzzTest
  void skipsWhatItReads(byte[] content) {
    FrameStreamInput reading =
        new FrameStreamInput(new BytesArray(content), Version.CURRENT, EMPTY, false);
    FrameStreamInput skipping =
        new FrameStreamInput(new BytesArray(content), Version.CURRENT, EMPTY, false);
    boolean read;
    try {
      reading.readString();
      read = true;
    } catch (IOException e) {
      read = false;
    }
    if (read) {
      try {
        skipping.skipString();
      } catch (IOException e) {
        throw new AssertionError("got " + e + " (expected: what was read is skipped)", e);
      }
      assertThat(skipping.position()).isEqualTo(reading.position());
    }
  }
}
