package dev.weir.node.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.lucene.index.CorruptIndexException;
import org.apache.lucene.store.ByteArrayDataInput;
import org.apache.lucene.store.ByteBuffersDataInput;
import org.apache.lucene.store.ByteBuffersDataOutput;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One chunk. */
final class ZstdChunkTest {
  private static final byte[] DICTIONARY =
      "connection refused by upstream, order shipped, payment "
          .repeat(20)
          .getBytes(StandardCharsets.UTF_8);

  private final ZstdMode mode = ZstdMode.acquire(3, DICTIONARY);

  @AfterEach
  void release() {
    mode.release();
  }

  private static byte[] content(int length) {
    byte[] content = new byte[length];
    Random random = new Random(length);
    for (int at = 0; at < length; at++) {
      content[at] =
          random.nextInt(4) == 0 ? (byte) random.nextInt() : DICTIONARY[at % DICTIONARY.length];
    }
    return content;
  }

  private byte[] compress(byte[] content) throws IOException {
    ByteBuffersDataOutput out = new ByteBuffersDataOutput();
    try (var compressor = mode.newCompressor()) {
      compressor.compress(new ByteBuffersDataInput(List.of(ByteBuffer.wrap(content))), out);
    }
    return out.toArrayCopy();
  }

  private byte[] decompress(byte[] chunk, int length, int from, int count) throws IOException {
    BytesRef bytes = new BytesRef();
    mode.newDecompressor().decompress(new ByteArrayDataInput(chunk), length, from, count, bytes);
    return Arrays.copyOfRange(bytes.bytes, bytes.offset, bytes.offset + bytes.length);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 16 * 1024, 32 * 1024 - 1, 300_000})
  void returnWhatWasCompressed(int length) throws IOException {
    byte[] content = content(length);
    byte[] chunk = compress(content);

    assertThat(decompress(chunk, length, 0, length)).isEqualTo(content);
    assertThat(decompress(chunk, length, length / 3, length / 2))
        .isEqualTo(Arrays.copyOfRange(content, length / 3, length / 3 + length / 2));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1000, 16 * 1024})
  void neverReturnOtherContent(int length) throws IOException {
    byte[] content = content(length);
    byte[] chunk = compress(content);
    int found = 0;
    for (int at = 0; at < chunk.length; at += 1 + chunk.length / 500) {
      byte[] broken = chunk.clone();
      broken[at] ^= 0x11;
      try {
        // Some bits of a frame's head mean nothing for its content.
        assertThat(decompress(broken, length, 0, length)).as("byte %d", at).isEqualTo(content);
      } catch (CorruptIndexException | ArrayIndexOutOfBoundsException detected) {
        found++;
      }
    }
    assertThat(found).isGreaterThan(Math.min(chunk.length, 500) / 2);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 1})
  void detectAnotherLength(int more) throws IOException {
    byte[] chunk = compress(content(5000));

    assertThatThrownBy(() -> decompress(chunk, 5000 + more, 0, 5000 + more))
        .isInstanceOf(CorruptIndexException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void detectBytesOfAnEmptyChunk(int size) throws IOException {
    byte[] chunk = {(byte) size, 0};
    if (size == 0) {
      assertThat(decompress(chunk, 0, 0, 0)).isEmpty();
    } else {
      assertThatThrownBy(() -> decompress(chunk, 0, 0, 0))
          .isInstanceOf(CorruptIndexException.class);
    }
  }
}
