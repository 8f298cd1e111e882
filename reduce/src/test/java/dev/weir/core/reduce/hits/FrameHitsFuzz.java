package dev.weir.core.reduce.hits;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.lucene.search.TotalHits;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.Version;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.internal.ShardSearchContextId;

/**
 * Hits that stay in a reply frame are those that OpenSearch reads from it, whatever a node sends;
 * nothing outside the reply is read.
 */
class FrameHitsFuzz {
  private static final NamedWriteableRegistry EMPTY = new NamedWriteableRegistry(List.of());

  /** Bytes before and after the reply, as other replies of the frame have them. */
  private static final int AROUND = 24;

  @FuzzTest
  void readsWhatOpenSearchReads(byte[] reply) {
    check(reply, Version.CURRENT);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void readsWhatOpenSearchReadsOfDamagedReplies(long seed) throws IOException {
    Random random = new Random(seed);
    int inPlace = 0;
    for (int round = 0; round < 20_000; round++) {
      Version version = random.nextBoolean() ? Version.CURRENT : Version.V_2_19_0;
      byte[] reply = reply(random, version);
      for (int n = random.nextInt(4); n > 0; n--) {
        reply = damage(reply, random);
      }
      if (check(reply, version)) {
        inPlace++;
      }
    }
    assertThat(inPlace).isBetween(3_000, 19_000);
  }

  private static byte[] reply(Random random, Version version) throws IOException {
    SearchHit[] hits = new SearchHit[random.nextInt(4)];
    for (int i = 0; i < hits.length; i++) {
      hits[i] = new SearchHit(i, "id-" + random.nextInt(1000), Map.of(), Map.of());
      hits[i].score(random.nextFloat());
      if (random.nextInt(4) > 0) {
        hits[i].sourceRef(new BytesArray("{\"a\":\"" + "x".repeat(random.nextInt(40)) + "\"}"));
      }
    }
    FetchSearchResult result = new FetchSearchResult(new ShardSearchContextId("s", 7), null);
    long total = random.nextLong() >>> random.nextInt(64);
    result.hits(
        new SearchHits(
            hits,
            random.nextBoolean() ? new TotalHits(total >>> 1, TotalHits.Relation.EQUAL_TO) : null,
            1));
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.setVersion(version);
      result.writeTo(out);
      return BytesReference.toBytes(out.bytes());
    }
  }

  private static byte[] damage(byte[] reply, Random random) {
    int at = random.nextInt(reply.length);
    byte[] damaged = reply.clone();
    switch (random.nextInt(5)) {
      case 0 -> damaged[at] = (byte) random.nextInt();
      case 1 -> damaged[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> damaged = Arrays.copyOf(damaged, at + 1);
      case 3 -> damaged = Arrays.copyOf(damaged, damaged.length + 1 + random.nextInt(8));
      default -> damaged[at]++;
    }
    return damaged;
  }

  /** Returns whether the hits stayed in place; fails if OpenSearch reads others. */
  private static boolean check(byte[] reply, Version version) {
    byte[] around = new byte[reply.length + 2 * AROUND];
    Arrays.fill(around, (byte) 0x7B);
    System.arraycopy(reply, 0, around, AROUND, reply.length);
    FrameStreamInput in =
        new FrameStreamInput(new BytesArray(around, AROUND, reply.length), version, EMPTY, false);
    FrameHits hits;
    try {
      in.mark(0);
      new ShardSearchContextId(in);
      int contextBytes = in.position();
      in.reset();
      hits = FrameHits.scan(in, contextBytes);
    } catch (IOException | IllegalArgumentException rejected) {
      return false;
    }
    if (hits == null) {
      return false;
    }
    SearchHit[] expected = expected(reply, version);
    if (expected == null) {
      return false; // parts that nobody reads are damaged
    }
    assertThat(hits.count()).isEqualTo(expected.length);
    BytesRef source = new BytesRef();
    for (int i = 0; i < expected.length; i++) {
      String id =
          new String(hits.bytes(), hits.idOffset(i), hits.idLength(i), StandardCharsets.UTF_8);
      assertThat(id).isEqualTo(expected[i].getId());
      assertThat(Float.floatToRawIntBits(hits.score(i)))
          .isEqualTo(Float.floatToRawIntBits(expected[i].getScore()));
      boolean hasSource = hits.locateSource(i, source);
      assertThat(hasSource).isEqualTo(expected[i].hasSource());
      if (hasSource) {
        assertThat(ByteBuffer.wrap(source.bytes, source.offset, source.length))
            .isEqualTo(ByteBuffer.wrap(BytesReference.toBytes(expected[i].getSourceRef())));
      }
    }
    return true;
  }

  /** Returns the hits that OpenSearch reads; null if it rejects the bytes. */
  private static SearchHit @Nullable [] expected(byte[] reply, Version version) {
    try (StreamInput in = new BytesArray(reply).streamInput()) {
      in.setVersion(version);
      return new FetchSearchResult(in).hits().getHits();
    } catch (IOException | RuntimeException rejected) {
      return null;
    }
  }
}
