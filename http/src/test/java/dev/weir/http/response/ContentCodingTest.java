package dev.weir.http.response;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdInputStream;
import dev.weir.http.options.HttpCompression;
import dev.weir.model.ResponseBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.SnappyFrameDecoder;
import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.http.HttpContentCompressor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ContentCodingTest {

  private static final HttpCompression NODES = new HttpCompression(true, 3, false);
  private static final HttpCompression OURS = HttpCompression.standard();

  /** The class that a node uses, with its choice made accessible. */
  private static final class NodesCompressor extends HttpContentCompressor {
    NodesCompressor() {
      super(
          StandardCompressionOptions.gzip(3, 15, 8),
          StandardCompressionOptions.deflate(3, 15, 8),
          StandardCompressionOptions.snappy());
    }

    @Nullable String choice(String accepted) {
      return determineEncoding(accepted);
    }
  }

  @Test
  void chooseTheSameCodingAsANode() {
    NodesCompressor node = new NodesCompressor();
    String[] tokens = {
      "gzip", "deflate", "snappy", "zstd", "br", "identity", "*", "x-gzip", "GZIP", " ", "foo"
    };
    String[] weights = {"", "", "", ";q=0", ";q=0.5", "; q=1.0", ";q=0.9", ";q=x", ";q=-1"};
    Random random = new Random(17);
    for (int i = 0; i < 20_000; i++) {
      List<String> parts = new ArrayList<>();
      for (int j = random.nextInt(5); j >= 0; j--) {
        parts.add(tokens[random.nextInt(tokens.length)] + weights[random.nextInt(weights.length)]);
      }
      String accepted = String.join(random.nextBoolean() ? ", " : ",", parts);
      ContentCoding chosen = ContentCoding.choose(accepted, NODES);
      assertThat(chosen == null ? null : chosen.token())
          .as(accepted)
          .isEqualTo(node.choice(accepted));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          zstd                     | ZSTD
          gzip, deflate, zstd      | ZSTD
          gzip, zstd;q=0.5         | GZIP
          zstd;q=0, gzip           | GZIP
          *                        | SNAPPY
          zstd;q=0                 |
          """)
  void offersZstdOnlyToThoseThatNameIt(String accepted, @Nullable ContentCoding expected) {
    assertThat(ContentCoding.choose(accepted, OURS)).isEqualTo(expected);
  }

  @Test
  void choosesNoneWhenSwitchedOff() {
    assertThat(ContentCoding.choose("gzip", new HttpCompression(false, 3, true))).isNull();
  }

  @ParameterizedTest
  @EnumSource(ContentCoding.class)
  void encodesSoThatOthersCanDecode(ContentCoding coding) throws IOException {
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    Random random = new Random(coding.ordinal());
    // Netty's snappy works byte by byte, which paranoid leak detection makes slow
    int most = coding == ContentCoding.SNAPPY ? 500 : 200_000;
    for (int round = 0; round < 30; round++) {
      byte[] plain = new byte[1 + random.nextInt(most)];
      for (int i = 0; i < plain.length; i++) {
        plain[i] = (byte) (random.nextInt(100) < round * 3 ? random.nextInt() : 'a' + i % 7);
      }
      BodyChunker slices =
          new BodyChunker(ResponseBody.of(BodyChunkerTest.cut(plain, random)), allocator);
      ByteBuf out = allocator.directBuffer(16);
      try (BodyEncoder encoder = coding.newEncoder(OURS)) {
        while (slices.remaining() > 0) {
          ByteBuf piece = slices.next();
          encoder.encode(piece, out, slices.remaining() == 0);
          assertThat(piece.isReadable()).isFalse();
          piece.release();
        }
      }
      byte[] encoded = new byte[out.readableBytes()];
      out.readBytes(encoded);
      out.release();
      assertThat(decode(coding, encoded)).isEqualTo(plain);
    }
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  private static byte[] decode(ContentCoding coding, byte[] encoded) throws IOException {
    InputStream in = new ByteArrayInputStream(encoded);
    return switch (coding) {
      case GZIP -> new GZIPInputStream(in).readAllBytes();
      case DEFLATE -> new InflaterInputStream(in).readAllBytes();
      case ZSTD -> new ZstdInputStream(in).readAllBytes();
      case SNAPPY -> {
        EmbeddedChannel channel = new EmbeddedChannel(new SnappyFrameDecoder(true));
        channel.writeInbound(Unpooled.wrappedBuffer(encoded));
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        for (ByteBuf part = channel.readInbound(); part != null; part = channel.readInbound()) {
          part.readBytes(plain, part.readableBytes());
          part.release();
        }
        channel.finishAndReleaseAll();
        yield plain.toByteArray();
      }
    };
  }

  @Test
  void higherLevelsCodeSmaller() throws IOException {
    Random random = new Random(5);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      text.append("word").append(random.nextInt(500)).append(' ');
    }
    byte[] plain = text.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    for (ContentCoding coding : List.of(ContentCoding.GZIP, ContentCoding.ZSTD)) {
      byte[] fast = encoded(coding, plain, 1);
      byte[] small = encoded(coding, plain, 9);
      assertThat(small.length).as(coding.token()).isLessThan(fast.length);
      assertThat(decode(coding, small)).isEqualTo(plain);
    }
  }

  /** By its own choice, the library would allocate tens of megabytes at the highest levels. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 4, 9, 12})
  void boundsTheWindowOfZstd(int level) throws IOException {
    byte[] plain = new byte[1 << 20];
    new Random(level).nextBytes(plain);
    try (BodyEncoder encoder =
        ContentCoding.ZSTD.newEncoder(new HttpCompression(true, 3, true, level, 0))) {
      ByteBuf out = Unpooled.directBuffer();
      encoder.encode(Unpooled.wrappedBuffer(plain), out, false);
      encoder.encode(Unpooled.wrappedBuffer(plain), out, true);
      byte[] coded = bytes(out);
      out.release();
      assertThat(coded[4] & 0x20).as("window of its own").isZero();
      assertThat(10 + ((coded[5] & 0xff) >> 3)).as("log of the window").isLessThanOrEqualTo(18);
      assertThat(encoder.memoryBytes()).isBetween(1 << 20, 4 << 20);
      assertThat(decode(ContentCoding.ZSTD, coded)).hasSize(2 * plain.length);
    }
  }

  private static byte[] encoded(ContentCoding coding, byte[] plain, int level) {
    try (BodyEncoder encoder =
        coding.newEncoder(new HttpCompression(true, level, true, level, 0))) {
      ByteBuf out = Unpooled.directBuffer();
      encoder.encode(Unpooled.wrappedBuffer(plain), out, true);
      byte[] coded = bytes(out);
      out.release();
      return coded;
    }
  }

  @Test
  void usesADeflaterAgainOnlyAfterItWasClosed() throws IOException {
    byte[] plain = "one two three".repeat(50).getBytes(java.nio.charset.StandardCharsets.UTF_8);
    try (BodyEncoder first = ContentCoding.GZIP.newEncoder(OURS);
        BodyEncoder second = ContentCoding.GZIP.newEncoder(OURS)) {
      ByteBuf one = Unpooled.buffer();
      ByteBuf two = Unpooled.buffer();
      first.encode(Unpooled.wrappedBuffer(plain), one, false);
      second.encode(Unpooled.wrappedBuffer(ByteBuffer.wrap(plain)), two, true);
      first.encode(Unpooled.wrappedBuffer(plain), one, true);
      assertThat(decode(ContentCoding.GZIP, bytes(two))).isEqualTo(plain);
      assertThat(decode(ContentCoding.GZIP, bytes(one))).hasSize(2 * plain.length);
    }
  }

  private static byte[] bytes(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.readBytes(bytes);
    return bytes;
  }
}
