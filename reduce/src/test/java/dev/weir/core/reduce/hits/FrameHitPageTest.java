package dev.weir.core.reduce.hits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.hits.FrameHitPage.ShardFrameHits;
import dev.weir.model.JsonBuffer;
import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.search.RankedDocs;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.common.document.DocumentField;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.internal.ShardSearchContextId;

/** Hits in frames are written like OpenSearch's objects made from them. */
class FrameHitPageTest {
  private static final DocValueFormat[] RAW = {DocValueFormat.RAW, DocValueFormat.RAW};

  private final Random random = new Random(11);

  /** The properties that keep a hit from staying in its frame. */
  private final List<Consumer<SearchHit>> rare =
      List.of(
          hit -> hit.version(3),
          hit -> hit.setSeqNo(5),
          hit -> hit.setPrimaryTerm(1),
          hit -> hit.setDocumentField("f", new DocumentField("f", List.of(1))),
          hit -> hit.matchedQueries(new String[] {"q"}),
          hit -> hit.setInnerHits(Map.of("i", SearchHits.empty())),
          hit -> hit.sourceRef(new BytesArray(" {\"a\": 1}")),
          hit -> hit.sourceRef(new BytesArray("---\na: 1\n")));

  private SearchHit hit(String id) {
    SearchHit hit = new SearchHit(1, id, Map.of(), Map.of());
    if (random.nextInt(5) > 0) {
      hit.sourceRef(
          new BytesArray("{\"text\":\"é \\\" " + "x".repeat(random.nextInt(400)) + "\"}"));
    }
    hit.score(random.nextInt(3) == 0 ? random.nextFloat() : Float.NaN);
    return hit;
  }

  private static BytesArray answer(Version version, SearchHit... hits) throws IOException {
    FetchSearchResult result = new FetchSearchResult(new ShardSearchContextId("session", 7), null);
    result.hits(new SearchHits(hits, total(), Float.NaN));
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.setVersion(version);
      out.writeLong(0x0102030405060708L); // the preceding bytes of a frame
      result.writeTo(out);
      return new BytesArray(BytesReference.toBytes(out.bytes()), 8, out.size() - 8);
    }
  }

  private static TotalHits total() {
    return new TotalHits(1_000_000, TotalHits.Relation.EQUAL_TO);
  }

  private static FrameStreamInput input(BytesArray answer, Version version) {
    return new FrameStreamInput(answer, version, new NamedWriteableRegistry(List.of()), false);
  }

  private static @Nullable FrameHits read(BytesArray answer, Version version) throws IOException {
    FetchResultReader reply = new FetchResultReader();
    FetchSearchResult read = reply.read(input(answer, version));
    assertThat(read.getContextId().getId()).isEqualTo(7);
    FrameHits hits = reply.hitsIfDeferred(read);
    assertThat(hits == null).isEqualTo(read.hits() != null);
    assertThat(reply.hitsIfDeferred(new FetchSearchResult())).isNull();
    return hits;
  }

  @Test
  void writesPagesOfSeveralShardsAsOpenSearchDoes() throws IOException {
    for (int round = 0; round < 300; round++) {
      Version version = random.nextBoolean() ? Version.CURRENT : Version.V_2_19_0;
      boolean sorted = random.nextBoolean();
      int scoreAt = random.nextBoolean() ? 1 : -1;
      @Nullable ShardFrameHits[] shards = new ShardFrameHits[4];
      List<SearchHit> expected = new ArrayList<>();
      List<ScoreDoc> docs = new ArrayList<>();
      for (int shard = 0; shard < 3; shard++) {
        SearchHit[] own = new SearchHit[random.nextInt(6)];
        SearchShardTarget target =
            new SearchShardTarget("n", SearchFixture.shard(shard), null, null);
        for (int i = 0; i < own.length; i++) {
          own[i] = hit("id/-" + random.nextInt());
        }
        FrameHits hits = Objects.requireNonNull(read(answer(version, own), version));
        assertThat(hits.count()).isEqualTo(own.length);
        shards[shard] = new ShardFrameHits(target, hits);
        for (SearchHit hit : own) {
          ScoreDoc doc =
              sorted
                  ? new FieldDoc(
                      1, Float.NaN, new Object[] {random.nextLong(), random.nextFloat()}, shard)
                  : new ScoreDoc(1, random.nextFloat(), shard);
          if (sorted) {
            ((FieldDoc) doc).fields[1] = scoreAt < 0 ? "text" : (Object) random.nextFloat();
          }
          docs.add(doc);
          hit.shard(target);
          expected.add(place(hit, doc, sorted, scoreAt));
        }
        if (random.nextInt(3) == 0) {
          docs.add(new ScoreDoc(1, 1, 3)); // of a shard that failed
        }
      }
      SearchInternals.DocPage page =
          new SearchInternals.DocPage(
              RankedDocs.of(docs.toArray(new ScoreDoc[0])),
              docs.size(),
              sorted ? RAW : null,
              sorted ? scoreAt : -1);
      FrameHitPage made = FrameHitPage.createIfPlain(page, shards);
      if (sorted && scoreAt >= 0 && !expected.isEmpty()) {
        assertThat(made).as("sorted by a fraction").isNull();
        continue;
      }
      assertThat(text(Objects.requireNonNull(made))).isEqualTo(text(expected));
      @Nullable SearchHit[] objects = new SearchHit[made.count()];
      made.materialize(count -> FetchSearchResult::new, objects);
      assertThat(objects).containsExactlyElementsOf(expected);
    }
  }

  private static SearchHit place(SearchHit hit, ScoreDoc doc, boolean sorted, int scoreAt) {
    if (!sorted) {
      hit.score(doc.score);
      return hit;
    }
    hit.sortValues(((FieldDoc) doc).fields, RAW);
    if (scoreAt >= 0) {
      hit.score((Float) ((FieldDoc) doc).fields[scoreAt]);
    }
    return hit;
  }

  @Test
  void leavesRareHitsToOpenSearch() throws IOException {
    for (Consumer<SearchHit> change : rare) {
      SearchHit[] hits = {hit("a"), hit("b"), hit("c")};
      change.accept(hits[1]);
      assertThat(read(answer(Version.CURRENT, hits), Version.CURRENT)).isNull();
    }
    for (String odd : List.of("\"", "\\", "é", "\u0001", "\u007f", "😀")) {
      for (int before = 0; before < 20; before++) {
        String id = "~".repeat(before) + odd + " ".repeat(random.nextInt(20));
        assertThat(read(answer(Version.CURRENT, hit(" ~"), hit(id)), Version.CURRENT))
            .as(id)
            .isNull();
      }
    }
  }

  @Test
  void leavesInfiniteScoresToOpenSearch() throws IOException {
    FrameHits hits =
        Objects.requireNonNull(read(answer(Version.CURRENT, hit("a")), Version.CURRENT));
    ShardFrameHits shard =
        new ShardFrameHits(new SearchShardTarget("n", SearchFixture.shard(0), null, null), hits);
    ScoreDoc[] docs = {new ScoreDoc(1, Float.POSITIVE_INFINITY, 0)};
    assertThat(
            FrameHitPage.createIfPlain(
                new SearchInternals.DocPage(RankedDocs.of(docs), 1, null, -1),
                new ShardFrameHits[] {shard}))
        .isNull();
  }

  /**
   * Any input is parsed or fails with an error of OpenSearch's class; nothing is read beyond its
   * end.
   */
  @Test
  void acceptNoMoreHitsThanThereAreBytes() throws IOException {
    BytesArray whole = answer(Version.CURRENT, hit("a"));
    byte[] bytes = BytesReference.toBytes(whole);
    int count = 16 + 5 + Float.BYTES; // after the context, the total and the best score
    assertThat(bytes[count]).isEqualTo((byte) 1);
    byte[] forged = new byte[bytes.length + 4];
    System.arraycopy(bytes, 0, forged, 0, count);
    System.arraycopy(bytes, count, forged, count + 4, bytes.length - count);
    for (int i = 0; i < 4; i++) {
      forged[count + i] = (byte) 0xFF;
    }
    forged[count + 4] = 1;
    assertThatThrownBy(() -> read(new BytesArray(forged), Version.CURRENT))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("got 536870911 hits in");
  }

  @Test
  void survivesAnyBytes() throws IOException {
    BytesArray whole = answer(Version.CURRENT, hit("a"), hit("b"), hit("c"));
    for (int round = 0; round < 5_000; round++) {
      byte[] bytes = BytesReference.toBytes(whole);
      int length = random.nextInt(3) == 0 ? random.nextInt(bytes.length) : bytes.length;
      for (int flips = random.nextInt(4); flips > 0; flips--) {
        bytes[17 + random.nextInt(bytes.length - 17)] = (byte) random.nextInt();
      }
      FrameStreamInput in = input(new BytesArray(bytes, 0, length), Version.CURRENT);
      if (length < 17) {
        continue;
      }
      FrameHits hits;
      try {
        hits = FrameHits.scan(in, 16);
      } catch (IOException tooManyHits) {
        continue;
      }
      assertThat(in.position()).isZero();
      for (int i = 0; hits != null && i < hits.count(); i++) {
        JsonBuffer json = new JsonBuffer(8);
        hits.writeId(i, json);
        assertThat(
                JsonBuffer.isPlain(
                    new String(json.bytes(), 0, json.length(), StandardCharsets.UTF_8)))
            .isTrue();
        assertThat(hits.sourceLength(i)).isBetween(0, length);
      }
    }
  }

  @Test
  void writesMoreHitsThanItKeepsScoresOf() throws IOException {
    SearchHit[] hits = new SearchHit[300];
    List<ScoreDoc> docs = new ArrayList<>();
    SearchShardTarget target = new SearchShardTarget("n", SearchFixture.shard(0), null, null);
    List<SearchHit> expected = new ArrayList<>();
    for (int i = 0; i < hits.length; i++) {
      hits[i] = hit("id" + i);
      docs.add(new ScoreDoc(1, i % 7 == 0 ? Float.NaN : 100f / (i / 2 + 1), 0));
    }
    FrameHits read = Objects.requireNonNull(read(answer(Version.CURRENT, hits), Version.CURRENT));
    for (int i = 0; i < hits.length; i++) {
      hits[i].shard(target);
      expected.add(place(hits[i], docs.get(i), false, -1));
    }
    FrameHitPage page =
        FrameHitPage.createIfPlain(
            new SearchInternals.DocPage(
                RankedDocs.of(docs.toArray(new ScoreDoc[0])), docs.size(), null, -1),
            new ShardFrameHits[] {new ShardFrameHits(target, read)});

    assertThat(text(Objects.requireNonNull(page))).isEqualTo(text(expected));
  }

  private String text(PlainHits hits) {
    AtomicInteger writers = new AtomicInteger();
    PlainHitsBody body =
        new PlainHitsBody(() -> {
          writers.incrementAndGet();
          return new PlainHitWriter(hits);
        });
    String first = text(body);
    assertThat(writers).as("the first reader continues with the writer that measured").hasValue(1);
    assertThat(text(body)).as("a second reader reads the same").isEqualTo(first);
    assertThat(writers).hasValue(2);
    return first;
  }

  private String text(PlainHitsBody body) {
    byte[] all = new byte[(int) body.length()];
    var reader = body.reader();
    for (int at = 0; at < all.length; ) {
      int most = Math.min(1 + random.nextInt(60), all.length - at);
      ByteBuffer into = ByteBuffer.wrap(all, at, most);
      reader.read(into);
      assertThat(into.hasRemaining()).isFalse();
      at += most;
    }
    ByteBuffer more = ByteBuffer.allocate(1);
    reader.read(more);
    assertThat(more.position()).as("nothing is left").isZero();
    return new String(all, StandardCharsets.UTF_8);
  }

  private static String text(List<SearchHit> hits) throws IOException {
    StringBuilder all = new StringBuilder();
    for (SearchHit hit : hits) {
      try (XContentBuilder builder = JsonXContent.contentBuilder()) {
        hit.toXContent(builder, ToXContent.EMPTY_PARAMS);
        all.append(all.isEmpty() ? "" : ",").append(BytesReference.bytes(builder).utf8ToString());
      }
    }
    return all.toString();
  }
}
