package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.common.compress.DeflateCompressor;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.bytes.CompositeBytesReference;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.common.text.Text;

class FrameStreamOutputTest {
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final FrameStreamOutput out = new FrameStreamOutput(allocator, 8 << 20);

  @AfterEach
  void holdsNoMemory() {
    out.close();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
  }

  private byte[] frame(Writeable content) throws IOException {
    out.writeBytes(new byte[FrameLayout.HEADER_BYTES]);
    content.writeTo(out);
    return completed();
  }

  private byte[] completed() throws IOException {
    int length = out.complete();
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    List<ByteBuf> buffers = new ArrayList<>();
    out.drainTo(buffers::add, buffers::add);
    for (ByteBuf buffer : buffers) {
      assertThat(buffer.isDirect()).isTrue();
      byte[] part = new byte[buffer.readableBytes()];
      buffer.readBytes(part);
      all.writeBytes(part);
      buffer.release();
    }
    assertThat(all.size()).isEqualTo(length);
    return all.toByteArray();
  }

  private static byte[] expected(Writeable content) throws IOException {
    try (BytesStreamOutput theirs = new BytesStreamOutput()) {
      theirs.writeBytes(new byte[FrameLayout.HEADER_BYTES]);
      content.writeTo(theirs);
      byte[] all = BytesReference.toBytes(theirs.bytes());
      byte[] patched = new byte[4];
      int length = all.length - FrameLayout.PREFIX_BYTES;
      for (int i = 0; i < 4; i++) {
        patched[i] = (byte) (length >> (24 - 8 * i));
      }
      System.arraycopy(patched, 0, all, FrameLayout.LENGTH_OFFSET, 4);
      return all;
    }
  }

  @Test
  void writeTheSameBytesAsOpenSearch() throws IOException {
    Exception error = new IllegalStateException("no", new IOException("cause"));
    Writeable content =
        to -> {
          for (int bit = 0; bit < 64; bit++) {
            for (long near = -1; near <= 1; near++) {
              long value = (1L << bit) + near;
              to.writeVInt((int) value);
              to.writeInt((int) value);
              to.writeLong(value);
              to.writeVLong(value & Long.MAX_VALUE);
              to.writeZLong(value);
              to.writeZLong(-value);
              to.writeShort((short) value);
              to.writeDouble((double) value);
            }
          }
          to.writeString("");
          to.writeString("a ß 水 😀 \u07ff\u0800\uffff");
          for (String last : List.of("", "ß", "水", "\uD800", "?")) {
            to.writeString("a?".repeat(200) + last);
            to.writeString("a?".repeat(FrameStreamOutput.SCRATCH_BYTES / 2) + last);
          }
          to.writeText(new Text("text"));
          to.writeOptionalString(null);
          to.writeGenericValue(List.of("a", 1, 2.5, true));
          to.writeException(error);
        };

    assertThat(frame(content)).isEqualTo(expected(content));
  }

  @Test
  void writeTheSameBytesForAnyBufferSize() throws IOException {
    for (int round = 0; round < 60; round++) {
      int seed = round;
      Writeable content = to -> random(new SplittableRandom(seed), to);

      assertThat(frame(content)).as("seed %d", seed).isEqualTo(expected(content));
    }
  }

  private static void random(SplittableRandom random, StreamOutput to) throws IOException {
    int most = 1 << random.nextInt(1, 18);
    for (int i = random.nextInt(1, 40); i > 0; i--) {
      switch (random.nextInt(5)) {
        case 0 -> {
          byte[] bytes = new byte[random.nextInt(most)];
          random.nextBytes(bytes);
          int from = random.nextInt(bytes.length + 1);
          to.writeBytes(bytes, from, bytes.length - from);
        }
        case 1 -> to.writeString(text(random, random.nextInt(most)));
        case 2 -> to.writeBytesReference(pieces(random, most));
        case 3 -> {
          for (int n = random.nextInt(3_000); n > 0; n--) {
            to.writeVInt(random.nextInt());
          }
        }
        default -> to.writeLong(random.nextLong());
      }
    }
  }

  private static BytesReference pieces(SplittableRandom random, int most) {
    BytesReference[] parts = new BytesReference[3];
    for (int i = 0; i < parts.length; i++) {
      byte[] bytes = new byte[random.nextInt(most)];
      random.nextBytes(bytes);
      parts[i] = new BytesArray(bytes);
    }
    return CompositeBytesReference.of(parts);
  }

  private static String text(SplittableRandom random, int length) {
    int bound = new int[] {0x80, 0x800, 0x10000}[random.nextInt(3)];
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append((char) random.nextInt(bound));
    }
    return text.toString();
  }

  @Test
  void compressForOpenSearch() throws IOException {
    for (int round = 0; round < 20; round++) {
      int seed = round;
      Writeable content = to -> random(new SplittableRandom(seed), to);
      out.writeBytes(new byte[FrameLayout.HEADER_BYTES]);
      out.writeString("header");
      int header = (int) out.position();
      out.startDeflating();
      content.writeTo(out);
      byte[] frame = completed();

      BytesReference inflated =
          new DeflateCompressor().uncompress(new BytesArray(frame, header, frame.length - header));

      byte[] plain = expected(content);
      assertThat(BytesReference.toBytes(inflated))
          .isEqualTo(Arrays.copyOfRange(plain, FrameLayout.HEADER_BYTES, plain.length));
    }
  }

  @Test
  void deflatesNothing() throws IOException {
    out.writeBytes(new byte[FrameLayout.HEADER_BYTES]);
    out.startDeflating();
    byte[] frame = completed();

    BytesReference inflated =
        new DeflateCompressor()
            .uncompress(
                new BytesArray(
                    frame, FrameLayout.HEADER_BYTES, frame.length - FrameLayout.HEADER_BYTES));

    assertThat(inflated.length()).isZero();
  }

  /** The payload as the plugin reads it, after a header of some length. */
  private byte[] byZstd(int headerBytes, Writeable content) throws IOException {
    out.writeBytes(new byte[headerBytes]);
    out.startZstd();
    content.writeTo(out);
    byte[] frame = completed();
    ByteBuffer payload = ByteBuffer.wrap(frame, headerBytes, frame.length - headerBytes).slice();
    assertThat(payload.getInt()).isEqualTo(-1);
    byte[] body = new byte[payload.remaining() - Integer.BYTES];
    payload.get(body);
    int size = payload.getInt();
    return size == 0 ? body : Zstd.decompress(body, size);
  }

  @Test
  void compressByZstdForThePlugin() throws IOException {
    for (int round = 0; round < 20; round++) {
      int seed = round;
      Writeable content = to -> random(new SplittableRandom(seed), to);
      byte[] plain = expected(content);
      for (int header : new int[] {FrameLayout.HEADER_BYTES, 16_370, 16_384, 40_000}) {
        assertThat(byZstd(header, content))
            .isEqualTo(Arrays.copyOfRange(plain, FrameLayout.HEADER_BYTES, plain.length));
      }
    }
  }

  @Test
  void compressOnlyLargePayloadsByZstd() throws IOException {
    for (int length : new int[] {0, 1, 1023, 1024, 16_000, 64_000, 66_000, 300_000}) {
      byte[] zeros = new byte[length];
      for (int header : new int[] {23, 15_356, 15_360, 16_376, 16_380, 16_381, 16_384}) {
        assertThat(byZstd(header, to -> to.writeBytes(zeros))).isEqualTo(zeros);
      }
      out.writeBytes(new byte[FrameLayout.HEADER_BYTES]);
      out.startZstd();
      out.writeBytes(zeros);
      int sent = completed().length - FrameLayout.HEADER_BYTES - 2 * Integer.BYTES;
      if (length < 1024) {
        assertThat(sent).isEqualTo(length);
      } else {
        assertThat(sent).isBetween(1, 200);
      }
    }
  }

  @Test
  void reuseZstdAfterAFailure() throws IOException {
    out.writeBytes(new byte[FrameLayout.HEADER_BYTES]);
    out.startZstd();
    out.writeBytes(new byte[100_000]);
    out.reset();

    Writeable content = to -> to.writeString("next".repeat(9_000));
    byte[] plain = expected(content);
    assertThat(byZstd(FrameLayout.HEADER_BYTES, content))
        .isEqualTo(Arrays.copyOfRange(plain, FrameLayout.HEADER_BYTES, plain.length));
    assertThat(frame(content)).isEqualTo(plain);
  }

  @Test
  void patchesTheHeadAfterItHasLeftTheScratch() throws IOException {
    byte[] frame =
        frame(to -> {
          to.writeBytes(new byte[5 * FrameStreamOutput.SCRATCH_BYTES]);
          out.patchInt(FrameLayout.VARIABLE_LENGTH_OFFSET, 0x01020304);
        });

    assertThat(Arrays.copyOfRange(frame, 19, 23)).containsExactly(1, 2, 3, 4);
  }

  @Test
  void refusesARequestOverTheLimit() {
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 9; i++) {
                out.writeBytes(new byte[1 << 20]);
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessage(
            "request over the limit: got more than 8388608 + 1048576 bytes (expected: at most"
                + " 8388608)");
    assertThat(allocator.metric().usedDirectMemory()).isEqualTo(8 << 20);
    out.reset();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  @Test
  void reuseAfterAFailure() throws IOException {
    out.writeBytes(new byte[FrameLayout.HEADER_BYTES]);
    out.startDeflating();
    out.writeBytes(new byte[100_000]);
    out.reset();

    Writeable content = to -> to.writeString("next");
    assertThat(frame(content)).isEqualTo(expected(content));
  }
}
