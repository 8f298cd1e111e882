package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.core.xcontent.MediaTypeRegistry;

class FrameSliceTest {
  private static final NamedWriteableRegistry REGISTRY = new NamedWriteableRegistry(List.of());

  /** A slice of a frame in the middle of a large array. */
  private static BytesReference slice(byte[] content) throws IOException {
    byte[] shared = new byte[1 << 20];
    Arrays.fill(shared, (byte) 'x');
    System.arraycopy(content, 0, shared, 5000, content.length);
    FrameStreamInput frame =
        new FrameStreamInput(
            new BytesArray(shared, 5000, content.length), Version.CURRENT, REGISTRY, false);
    return frame.readBytesReference(content.length);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void countsItsOwnLengthNotTheSharedArray() throws IOException {
    assertThat(slice(new byte[700]).ramBytesUsed()).isEqualTo(700);
    assertThat(slice(new byte[700]).slice(100, 50).ramBytesUsed()).isEqualTo(50);
  }

  @Test
  @SuppressWarnings("deprecation") // what guesses the type is still used by OpenSearch itself
  void behaveLikeOpenSearchsBytesReference() throws IOException {
    byte[] content = utf8("{\"field\":\"wert ü\",\"n\":[1,2,3]}");
    BytesReference ours = slice(content);
    BytesReference theirs = new BytesArray(content);

    assertThat(ours).isEqualTo(theirs).hasSameHashCodeAs(theirs);
    assertThat(theirs).isEqualTo(ours);
    assertThat(ours.compareTo(theirs)).isZero();
    assertThat(ours.length()).isEqualTo(theirs.length());
    assertThat(ours.get(3)).isEqualTo(theirs.get(3));
    assertThat(ours.getInt(4)).isEqualTo(theirs.getInt(4));
    assertThat(ours.indexOf((byte) ':', 2)).isEqualTo(theirs.indexOf((byte) ':', 2));
    assertThat(ours.slice(2, 9)).isEqualTo(theirs.slice(2, 9));
    assertThat(ours.slice(2, 9).slice(1, 3)).isEqualTo(theirs.slice(2, 9).slice(1, 3));
    assertThat(ours.utf8ToString()).isEqualTo(theirs.utf8ToString());
    assertThat(ours.toBytesRef()).isEqualTo(theirs.toBytesRef());
    assertThat(BytesReference.toBytes(ours)).isEqualTo(content);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ours.writeTo(out);
    assertThat(out.toByteArray()).isEqualTo(content);
    assertThat(MediaTypeRegistry.xContentType(ours)).isEqualTo(MediaTypeRegistry.JSON);
    Map<String, Object> parsed =
        XContentHelper.convertToMap(ours, true, MediaTypeRegistry.JSON).v2();
    assertThat(parsed)
        .isEqualTo(XContentHelper.convertToMap(theirs, true, MediaTypeRegistry.JSON).v2());
    assertThat(XContentHelper.convertToMap(ours, true, (MediaType) null).v2()).isEqualTo(parsed);
  }

  @Test
  void readsCopiesThatOutliveTheFrame() throws IOException {
    BytesReference slice = slice(new byte[] {2, 'o', 'k', 1});
    try (StreamInput in = slice.streamInput()) {
      BytesReference read = in.readBytesReference();
      Arrays.fill(slice.toBytesRef().bytes, (byte) 0);

      assertThat(read.utf8ToString()).isEqualTo("ok");
      assertThat(in.available()).isEqualTo(1);
    }
  }

  @Test
  void staysWithinItsBounds() throws IOException {
    BytesReference slice = slice(new byte[10]);

    assertThatThrownBy(() -> slice.get(10)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> slice.get(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> slice.slice(5, 6)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> slice.streamInput().readBytesReference(11))
        .isInstanceOf(IOException.class);
  }
}
