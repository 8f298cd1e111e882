package dev.weir.http.body;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.Decompressor;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContentDecompressor;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.FastThreadLocal;
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

  /** Output by which a turn may exceed its bound. */
  private static final int LAST_OUTPUT = 64 << 10;

  private final RecordingBodyListener listener = new RecordingBodyListener();
  private final List<String> heard = listener.heard;
  private final FixedBodyBudget budget = new FixedBodyBudget(8_000_000);
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

  @AfterEach
  void holdsNothing() {
    listener.close();
    FastThreadLocal.removeAll(); // the turns of this thread
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
    return new BufferedBody(listener, budget, MAX, announced, decoder, null);
  }

  private void feed(BufferedBody body, byte[] bytes, Random random, int most) {
    for (int from = 0; from < bytes.length; ) {
      int to = Math.min(bytes.length, from + 1 + random.nextInt(most));
      accept(body, Arrays.copyOfRange(bytes, from, to));
      listener.runTurns();
      from = to;
    }
  }

  private static void accept(BufferedBody body, byte[] bytes) {
    ByteBuf piece = Unpooled.wrappedBuffer(bytes);
    body.acceptContent(piece);
    piece.release();
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
    BufferedBody body = new BufferedBody(listener, small, MAX, -1, null, null);
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
        new BufferedBody(listener, new FixedBodyBudget(5_000), MAX, 6_000, null, null);
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

  private @Nullable Decompressor decoder(String coding) {
    HttpHeaders headers = new DefaultHttpHeaders().add("Content-Encoding", coding);
    Decompressor decoder = DecompressorFactory.newDecompressor(headers, allocator);
    assertThat(headers.contains("Content-Encoding")).isFalse();
    return decoder;
  }

  private void decodes(String coding, byte[] encoded, byte[] plain) {
    Decompressor decoder = decoder(coding);
    assertThat(decoder).as(coding).isNotNull();
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
    BufferedBody body = body(bomb.length, decoder("gzip"));
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
      BufferedBody body = body(bytes.length, decoder("gzip"));
      feed(body, bytes, new Random(1), 7);
      body.complete();

      assertThat(heard).containsExactly("corrupt");
      heard.clear();
      body.release();
    }
  }

  /** A node takes what has come for the whole body, whatever the coding says about its end. */
  @Test
  void takesABodyThatEndsEarlyForWholeAsANodeDoes() throws IOException {
    byte[] plain = "some text\n".repeat(5000).getBytes(StandardCharsets.UTF_8);
    byte[] coded = gzip(plain);
    for (int length : new int[] {coded.length - 1, coded.length - 8, coded.length / 2, 3}) {
      byte[] beginning = Arrays.copyOf(coded, length);
      BufferedBody body = body(length, decoder("gzip"));
      feed(body, beginning, new Random(1), 50);
      body.complete();

      assertThat(heard).containsExactly("body");
      assertThat(copyOf(body.bytes())).isEqualTo(decodedByANode(beginning));
      heard.clear();
      body.release();
    }
  }

  private static byte[] decodedByANode(byte[] coded) {
    EmbeddedChannel node =
        new EmbeddedChannel(new HttpContentDecompressor(0), new HttpObjectAggregator(1 << 20));
    HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
    request.headers().set("Content-Encoding", "gzip").set("Content-Length", coded.length);
    node.writeInbound(request, new DefaultLastHttpContent(Unpooled.wrappedBuffer(coded)));
    FullHttpRequest decoded = node.readInbound();
    byte[] bytes = ByteBufUtil.getBytes(decoded.content());
    decoded.release();
    node.finishAndReleaseAll();
    return bytes;
  }

  @Test
  void decodesAMegabyteInEachTurnOfTheEventLoop() throws IOException {
    byte[] coded = gzip(new byte[MAX]);
    BufferedBody body = body(coded.length, decoder("gzip"));
    accept(body, coded);
    assertThat(body.length()).isLessThan(DecodingTurns.BYTES_PER_TURN + LAST_OUTPUT);
    while (listener.isPaused) {
      int before = body.length();
      listener.runTurn();
      assertThat(body.length() - before).isBetween(1, DecodingTurns.BYTES_PER_TURN + LAST_OUTPUT);
    }
    assertThat(heard).isEmpty();
    body.complete();

    assertThat(heard).containsExactly("body");
    assertThat(copyOf(body.bytes())).isEqualTo(new byte[MAX]);
    body.release();
  }

  @Test
  void decodesBodiesOfOneTurnOneAfterTheOther() throws IOException {
    byte[] coded = gzip(new byte[1_200_000]);
    List<BufferedBody> bodies = new ArrayList<>();
    int before = 0;
    for (int i = 0; i < 3; i++) {
      bodies.add(body(coded.length, decoder("gzip")));
      accept(bodies.getLast(), coded);
      bodies.getLast().complete();
    }
    while (heard.size() < bodies.size()) {
      int now = bodies.stream().mapToInt(BufferedBody::length).sum();
      assertThat(now - before).isLessThan(DecodingTurns.BYTES_PER_TURN + LAST_OUTPUT);
      before = now;
      listener.runTurn();
    }

    assertThat(heard).containsExactly("body", "body", "body");
    for (BufferedBody body : bodies) {
      assertThat(body.length()).isEqualTo(1_200_000);
      body.release();
    }
  }

  @Test
  void isCompleteWhenTheRestIsDecoded() throws IOException {
    byte[] coded = gzip(new byte[MAX]);
    BufferedBody body = body(coded.length, decoder("gzip"));
    accept(body, coded);
    body.complete();
    assertThat(heard).isEmpty();
    listener.runTurns();

    assertThat(heard).containsExactly("body");
    assertThat(body.length()).isEqualTo(MAX);
    body.release();
  }

  @Test
  void tellsOfTheEndOfABodyThatIsTooLongInALaterTurn() throws IOException {
    byte[] coded = gzip(new byte[MAX + 1]);
    BufferedBody body = body(coded.length, decoder("gzip"));
    accept(body, coded);
    body.complete();
    listener.runTurns();

    assertThat(heard).containsExactly("too long", "ended");
    body.release();
  }

  @Test
  void decodesNothingMoreAfterItsRelease() throws IOException {
    byte[] coded = gzip(new byte[MAX]);
    BufferedBody body = body(coded.length, decoder("gzip"));
    accept(body, coded);
    assertThat(listener.isPaused).isTrue();
    body.release();
    listener.runTurns();

    assertThat(listener.isPaused).isFalse();
    assertThat(body.length()).isZero();
    assertThat(heard).isEmpty();
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
