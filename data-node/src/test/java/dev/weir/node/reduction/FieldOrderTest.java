package dev.weir.node.reduction;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.reduction.BestHits.ShardHits;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.SortedNumericSortField;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldDocs;
import org.apache.lucene.search.TotalHits;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.lucene.Lucene;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;

/** Which sorted hits of several shards stay. */
final class FieldOrderTest {
  private static final int ROUNDS = 500;
  private static final int MAX_SHARDS = 8;
  private static final int MAX_HITS = 8;

  private final Random random = TestSeed.random(FieldOrderTest.class);

  private static TopFieldDocs found(List<SortField> fields, ScoreDoc... hits) {
    return new TopFieldDocs(
        new TotalHits(hits.length, TotalHits.Relation.EQUAL_TO),
        hits,
        fields.toArray(SortField[]::new));
  }

  private SortField randomField() {
    boolean reverse = random.nextBoolean();
    return switch (random.nextInt(5)) {
      case 0 -> new SortField("i", SortField.Type.INT, reverse);
      case 1 -> new SortedNumericSortField("l", SortField.Type.LONG, reverse);
      case 2 -> new SortField("d", SortField.Type.DOUBLE, reverse);
      case 3 -> new SortField(null, SortField.Type.SCORE, reverse);
      default -> {
        Object missing = random.nextBoolean() ? SortField.STRING_LAST : SortField.STRING_FIRST;
        yield new SortField("s", SortField.Type.STRING, reverse, missing);
      }
    };
  }

  private @Nullable Object randomValue(SortField field) {
    int n = random.nextInt(4);
    String name = field.getField();
    return switch (name == null ? "" : name) {
      case "i" -> n;
      case "l" -> (long) n;
      case "d" -> n == 0 ? Double.NaN : n / 3.0;
      case "s" -> n == 0 ? null : new BytesRef("w" + n);
      default -> n / 2f;
    };
  }

  /** A shard's hits, in the order in which Lucene compares them. */
  private TopFieldDocs randomHits(List<SortField> fields) {
    List<FieldDoc> hits = new ArrayList<>();
    for (int i = random.nextInt(MAX_HITS + 1); i > 0; i--) {
      Object[] values = fields.stream().map(this::randomValue).toArray();
      hits.add(new FieldDoc(random.nextInt(100), Float.NaN, values));
    }
    List<FieldDoc> sorted = new ArrayList<>();
    for (FieldDoc hit : hits) { // by insertion, with Lucene's own merge of two lists
      TopFieldDocs both =
          TopDocs.merge(
              new Sort(fields.toArray(SortField[]::new)),
              MAX_HITS + 1,
              new TopFieldDocs[] {
                numbered(found(fields, sorted.toArray(ScoreDoc[]::new)), 0),
                numbered(found(fields, hit), 1)
              });
      sorted.clear();
      for (ScoreDoc one : both.scoreDocs) {
        FieldDoc next = (FieldDoc) one;
        sorted.add(new FieldDoc(next.doc, next.score, next.fields));
      }
    }
    return found(fields, sorted.toArray(ScoreDoc[]::new));
  }

  private static TopFieldDocs numbered(TopFieldDocs of, int shard) {
    ScoreDoc[] hits = new ScoreDoc[of.scoreDocs.length];
    for (int i = 0; i < hits.length; i++) {
      FieldDoc hit = (FieldDoc) of.scoreDocs[i];
      hits[i] = new FieldDoc(hit.doc, hit.score, hit.fields, shard);
    }
    return new TopFieldDocs(of.totalHits, hits, of.fields);
  }

  /** Returns what a gateway reads of a shard's hits. */
  private static TopFieldDocs sent(TopFieldDocs of, int shard) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    Lucene.writeTopDocs(out, new TopDocsAndMaxScore(of, Float.NaN));
    return numbered((TopFieldDocs) Lucene.readTopDocs(out.bytes().streamInput()).topDocs, shard);
  }

  private static List<String> merge(List<TopFieldDocs> shards, int size) {
    TopFieldDocs[] found =
        shards.stream().filter(shard -> shard.scoreDocs.length > 0).toArray(TopFieldDocs[]::new);
    return found.length == 0
        ? List.of()
        : Arrays.stream(TopDocs.merge(new Sort(found[0].fields), size, found).scoreDocs)
            .map(ScoreDoc::toString)
            .toList();
  }

  /** Nodes select from their shards; the gateway merges what all nodes have sent. */
  @Test
  void changesNothingInTheMergedHits() throws IOException {
    int leftOut = 0;
    for (int round = 0; round < ROUNDS; round++) {
      List<SortField> fields = new ArrayList<>();
      for (int i = 1 + random.nextInt(2); i > 0; i--) {
        fields.add(randomField());
      }
      int count = 2 + random.nextInt(MAX_SHARDS - 1);
      int size = 1 + random.nextInt(MAX_HITS);
      List<TopFieldDocs> shards = new ArrayList<>();
      List<TopFieldDocs> whole = new ArrayList<>();
      List<Integer> places = new ArrayList<>();
      for (int shard = 0; shard < count; shard++) {
        shards.add(randomHits(fields));
        whole.add(sent(shards.get(shard), shard));
        places.add(shard);
      }
      Collections.shuffle(places, random);
      List<Integer> wave = places.subList(0, 1 + random.nextInt(count));
      List<ShardHits> lists =
          wave.stream().map(shard -> new ShardHits(shard, shards.get(shard).scoreDocs)).toList();
      Comparator<ScoreDoc> order =
          requireNonNull(FieldOrder.of(shards.get(wave.getFirst())), "order");
      int[] kept = BestHits.select(lists, size, order);
      List<TopFieldDocs> reduced = new ArrayList<>(whole);
      for (int i = 0; i < kept.length; i++) {
        int shard = wave.get(i);
        TopFieldDocs own = shards.get(shard);
        assertThat(FieldOrder.of(own)).isEqualTo(order);
        leftOut += own.scoreDocs.length - kept[i];
        reduced.set(shard, sent(found(fields, Arrays.copyOf(own.scoreDocs, kept[i])), shard));
      }
      assertThat(merge(reduced, size)).as("round %d", round).isEqualTo(merge(whole, size));
    }
    assertThat(leftOut).isPositive();
  }

  @Test
  void takesOnlyPlainFieldsInOrder() {
    List<SortField> numbers = List.of(new SortField("n", SortField.Type.LONG));
    FieldDoc one = new FieldDoc(1, Float.NaN, new Object[] {1L});
    FieldDoc two = new FieldDoc(2, Float.NaN, new Object[] {2L});
    assertThat(FieldOrder.of(found(numbers, one, two, two))).isNotNull();
    assertThat(FieldOrder.of(found(numbers))).isNotNull();
    assertThat(FieldOrder.of(found(numbers, two, one))).as("not in order").isNull();
    assertThat(FieldOrder.of(found(numbers, new FieldDoc(1, 0, new Object[] {"a"}), one)))
        .as("other values")
        .isNull();
    assertThat(FieldOrder.of(found(numbers, new ScoreDoc(1, 1)))).as("no values").isNull();
    assertThat(
            FieldOrder.of(
                new TopDocs(new TotalHits(0, TotalHits.Relation.EQUAL_TO), new ScoreDoc[0])))
        .as("by score")
        .isNull();
    assertThat(FieldOrder.of(found(List.of(new SortField("n", SortField.Type.LONG, true)))))
        .isNotEqualTo(FieldOrder.of(found(numbers)));
  }
}
