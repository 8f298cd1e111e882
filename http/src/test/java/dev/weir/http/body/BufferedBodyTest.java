package dev.weir.http.body;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.Decompressor;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

public class BufferedBodyTest {

  private static final int MAX = 3_000_000;

  private final List<String> heard = new ArrayList<>();
  private final FixedBodyBudget budget = new FixedBodyBudget(8_000_000);
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final BufferedBody.Listener reader =
      new BufferedBody.Listener() {
        @Override
        public void onBodyComplete() {
          heard.add("body");
        }

        @Override
        public int onBufferFull(int most) {
          return 0;
        }

        @Override
        public void onTooLong(ByteBuf rest) {
          heard.add("too long");
        }

        @Override
        public void onNoRoom(long wanted) {
          heard.add("no room");
        }

        @Override
        public void onProcessingFailure(Throwable failure) {
          heard.add("failed");
        }

        @Override
        public void onCorrupt(DecompressionException failure) {
          heard.add("corrupt");
        }
      };

  @AfterEach
  void holdsNothing() {
    assertThat(budget.used()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
  }

  public static byte[] gzip(byte[] plain) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(plain);
    }
    return bytes.toByteArray();
  }

  private static byte[] zlib(byte[] plain, boolean raw) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Deflater deflater = new Deflater(6, raw);
    try (DeflaterOutputStream out = new DeflaterOutputStream(bytes, deflater)) {
      out.write(plain);
    }
    deflater.end();
    return bytes.toByteArray();
  }

  private BufferedBody body(long announced, @Nullable Decompressor decoder) {
    return new BufferedBody(reader, budget, MAX, announced, decoder, null);
  }

  private static void feed(BufferedBody body, byte[] bytes, Random random, int most) {
    for (int from = 0; from < bytes.length; ) {
      int to = Math.min(bytes.length, from + 1 + random.nextInt(most));
      ByteBuf piece = Unpooled.wrappedBuffer(bytes, from, to - from);
      body.acceptContent(piece);
      piece.release();
      from = to;
    }
  }

  private static byte[] copyOf(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return copy;
  }

  @Test
  void bufferChunksOfAnySize() {
    Random random = new Random(11);
    for (int round = 0; round < 200; round++) {
      byte[] bytes = new byte[random.nextInt(round < 190 ? 50_000 : MAX)];
      random.nextBytes(bytes);
      long announced = random.nextBoolean() ? bytes.length : -1;
      BufferedBody body = body(announced, null);
      feed(body, bytes, random, 20_000);
      body.complete();

      assertThat(heard).containsExactly("body");
      assertThat(copyOf(body.bytes())).isEqualTo(bytes);
      assertThat(budget.used()).isGreaterThanOrEqualTo(bytes.length);
      if (announced >= 0) {
        assertThat(budget.used()).isLessThanOrEqualTo(Math.max(1, bytes.length + bytes.length / 4));
      }
      heard.clear();
      body.release();
    }
  }

  @Test
  void doNotAllocateTheAnnouncedLength() {
    BufferedBody body = body(MAX, null);
    feed(body, new byte[1], new Random(1), 1);

    assertThat(budget.used()).isEqualTo(1 << 20);
    body.release();
  }

  @Test
  void neverMovesABodyOfLittleMoreThanAMegabyte() {
    int length = 1_100_000;
    BufferedBody body = body(length, null);
    assertThat(body.reserve(new PendingBodyTracker(4_000_000))).isZero();
    assertThat(budget.used()).isEqualTo(AccountedBuffer.allocatedSize(length));
    feed(body, new byte[1], new Random(1), 1);
    byte[] first = body.bytes().array();
    feed(body, new byte[length - 1], new Random(1), 60_000);

    assertThat(body.bytes().array()).isSameAs(first);
    assertThat(budget.used()).isEqualTo(AccountedBuffer.allocatedSize(length));
    body.release();
  }

  @Test
  void paysForBothArraysWhileItGrows() {
    FixedBodyBudget small = new FixedBodyBudget(40_000);
    BufferedBody body = new BufferedBody(reader, small, MAX, -1, null, null);
    feed(body, new byte[16_000], new Random(1), 1000);
    assertThat(small.used()).isEqualTo(16_384);
    feed(body, new byte[1_000], new Random(1), 1000);

    assertThat(heard).containsExactly("no room");
    body.release();
    assertThat(small.used()).isZero();
  }

  @Test
  void limitABodyToTheWholeBudget() {
    BufferedBody body =
        new BufferedBody(reader, new FixedBodyBudget(5_000), MAX, 6_000, null, null);
    feed(body, new byte[6_000], new Random(1), 6_000);

    assertThat(heard).containsExactly("too long");
    body.release();
  }

  @Test
  void stopsAtTheLimit() {
    BufferedBody body = body(-1, null);
    feed(body, new byte[MAX], new Random(1), 50_000);
    assertThat(heard).isEmpty();
    feed(body, new byte[50], new Random(1), 1);
    body.complete();

    assertThat(heard).containsExactly("too long");
    body.release();
  }

  @Test
  void stopWithoutMemory() {
    assertThat(budget.tryCharge(6_000_000)).isTrue();
    BufferedBody body = body(MAX, null);
    feed(body, new byte[MAX], new Random(1), 50_000);
    body.complete();

    assertThat(heard).containsExactly("no room");
    body.release();
    budget.release(6_000_000);
  }

  @Test
  void decodesEachCodingOfANode() throws IOException {
    byte[] plain = new byte[300_000];
    Random random = new Random(5);
    for (int i = 0; i < plain.length; i++) {
      plain[i] = (byte) random.nextInt(8);
    }
    byte[] half = Arrays.copyOf(plain, 150_000);
    ByteArrayOutputStream twice = new ByteArrayOutputStream();
    twice.write(gzip(half));
    twice.write(gzip(Arrays.copyOfRange(plain, 150_000, 300_000)));
    decodes("gzip", gzip(plain), plain);
    decodes("X-GZIP", gzip(plain), plain);
    decodes("gzip", twice.toByteArray(), plain);
    decodes("deflate", zlib(plain, false), plain);
    decodes("deflate", zlib(plain, true), plain);
    decodes("zstd", com.github.luben.zstd.Zstd.compress(plain), plain);
    decodes("gzip", new byte[0], new byte[0]);
  }

  private void decodes(String coding, byte[] encoded, byte[] plain) {
    HttpHeaders headers = new DefaultHttpHeaders().add("Content-Encoding", coding);
    Decompressor decoder = DecompressorFactory.newDecompressor(headers, allocator);
    assertThat(decoder).as(coding).isNotNull();
    assertThat(headers.contains("Content-Encoding")).isFalse();
    BufferedBody body = body(encoded.length, decoder);
    feed(body, encoded, new Random(2), 3000);
    body.complete();

    assertThat(heard).containsExactly("body");
    assertThat(copyOf(body.bytes())).isEqualTo(plain);
    heard.clear();
    body.release();
  }

  @Test
  void boundTheDecodedLength() throws IOException {
    byte[] bomb = gzip(new byte[100_000_000]);
    BufferedBody body =
        body(
            bomb.length,
            DecompressorFactory.newDecompressor(
                new DefaultHttpHeaders().add("Content-Encoding", "gzip"), allocator));
    feed(body, bomb, new Random(1), 100_000);
    body.complete();

    assertThat(heard).containsExactly("too long");
    body.release();
  }

  @Test
  void noticesACorruptBody() throws IOException {
    byte[] broken = gzip("some text".repeat(100).getBytes(StandardCharsets.UTF_8));
    broken[broken.length - 6] ^= 1;
    for (byte[] bytes : List.of(broken, "plain text".getBytes(StandardCharsets.UTF_8))) {
      BufferedBody body =
          body(
              bytes.length,
              DecompressorFactory.newDecompressor(
                  new DefaultHttpHeaders().add("Content-Encoding", "gzip"), allocator));
      feed(body, bytes, new Random(1), 7);
      body.complete();

      assertThat(heard).containsExactly("corrupt");
      heard.clear();
      body.release();
    }
  }

  @Test
  void leavesUnknownCodingsAsTheyAre() {
    HttpHeaders headers = new DefaultHttpHeaders().add("Content-Encoding", "gzip, br");
    assertThat(DecompressorFactory.newDecompressor(headers, allocator)).isNull();
    assertThat(headers.get("Content-Encoding")).isEqualTo("gzip, br");
    assertThat(
            DecompressorFactory.newDecompressor(
                new DefaultHttpHeaders().add("Transfer-Encoding", "chunked"), allocator))
        .isNull();
  }

  @Test
  void neverReuseAnAbandonedArray() {
    byte[] text = new byte[100_000];
    Arrays.fill(text, (byte) 7);
    BufferedBody first = body(text.length, null);
    feed(first, text, new Random(1), 50_000);
    ByteBuffer kept = first.bytes();
    first.leaveToGarbageCollector();
    BufferedBody second = body(text.length, null);
    feed(second, new byte[100_000], new Random(1), 50_000);

    assertThat(copyOf(kept)).isEqualTo(text);
    second.release();
  }

  @Test
  void chargeTheAnnouncedLengthUpFront() {
    PendingBodyTracker promises = new PendingBodyTracker(4_000_000);
    byte[] bytes = new byte[2_500_000];
    new Random(3).nextBytes(bytes);
    BufferedBody body = body(bytes.length, null);
    assertThat(body.reserve(promises)).isZero();
    long paid = budget.used();
    assertThat(paid).isGreaterThanOrEqualTo(bytes.length);
    assertThat(promises.pendingBytes()).isEqualTo(bytes.length);
    assertThat(budget.tryCharge(budget.limit() - paid)).as("all else is taken").isTrue();
    feed(body, bytes, new Random(4), 200_000);
    body.complete();
    budget.release(budget.limit() - paid);
    assertThat(heard).containsExactly("body");
    assertThat(copyOf(body.bytes())).isEqualTo(bytes);
    assertThat(promises.pendingBytes()).isZero();
    assertThat(budget.used()).isEqualTo(AccountedBuffer.allocatedSize(bytes.length));
    body.release();
  }

  @Test
  void rejectBeforeTheBodyWithoutMemoryForAllOfIt() {
    PendingBodyTracker promises = new PendingBodyTracker(4_000_000);
    assertThat(budget.tryCharge(6_000_000)).isTrue();
    BufferedBody body = body(2_500_000, null);
    assertThat(body.reserve(promises)).isGreaterThan(2_500_000);
    assertThat(promises.pendingBytes()).isZero();
    assertThat(budget.used()).isEqualTo(6_000_000);
    body.release();
    budget.release(6_000_000);
  }

  @Test
  void leaveMemoryForOthersWhenAClientAnnouncesButSendsNothing() {
    PendingBodyTracker promises = new PendingBodyTracker(4_000_000);
    BufferedBody silent = body(2_500_000, null);
    assertThat(silent.reserve(promises)).isZero();
    long paid = budget.used();
    BufferedBody second = body(2_000_000, null);
    assertThat(second.reserve(promises)).as("is paid for as it comes").isZero();
    assertThat(budget.used()).isEqualTo(paid);
    assertThat(promises.pendingBytes()).isEqualTo(2_500_000);
    feed(second, new byte[2_000_000], new Random(5), 100_000);
    second.complete();
    assertThat(heard).containsExactly("body");
    second.release();
    silent.leaveToGarbageCollector();
    assertThat(promises.pendingBytes()).isZero();
    BufferedBody small = body(60_000, null);
    assertThat(small.reserve(promises)).isZero();
    assertThat(budget.used()).as("of what comes in one piece").isZero();
    small.release();
  }
}
