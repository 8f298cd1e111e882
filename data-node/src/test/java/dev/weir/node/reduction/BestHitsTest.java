package dev.weir.node.reduction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.reduction.BestHits.ShardHits;
import dev.weir.testkit.junit.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldDocs;
import org.apache.lucene.search.TotalHits;
import org.junit.jupiter.api.Test;

/** Which hits of several shards stay. */
final class BestHitsTest {
  private static final int ROUNDS = 500;
  private static final int MAX_SHARDS = 12;
  private static final int MAX_HITS = 8;

  private final Random random = TestSeed.random(BestHitsTest.class);

  private static TopDocs found(ScoreDoc... hits) {
    return new TopDocs(new TotalHits(hits.length, TotalHits.Relation.EQUAL_TO), hits);
  }

  private static ScoreDoc hit(int doc, float score) {
    return new ScoreDoc(doc, score);
  }

  private ScoreDoc[] randomHits() {
    ScoreDoc[] hits = new ScoreDoc[random.nextInt(MAX_HITS + 1)];
    for (int i = 0; i < hits.length; i++) {
      hits[i] = hit(random.nextInt(100), random.nextInt(4) / 2f); // many ties
    }
    Arrays.sort(hits, Comparator.comparingDouble((ScoreDoc one) -> -one.score));
    return hits;
  }

  private static TopDocs merge(List<ShardHits> shards, int size) {
    TopDocs[] all =
        shards.stream()
            .map(shard -> {
              ScoreDoc[] numbered = new ScoreDoc[shard.hits().length];
              for (int i = 0; i < numbered.length; i++) {
                numbered[i] =
                    new ScoreDoc(shard.hits()[i].doc, shard.hits()[i].score, shard.shardIndex());
              }
              return found(numbered);
            })
            .toArray(TopDocs[]::new);
    return TopDocs.merge(size, all);
  }

  private static List<String> texts(TopDocs docs) {
    return Arrays.stream(docs.scoreDocs).map(ScoreDoc::toString).toList();
  }

  private static List<ShardHits> cut(List<ShardHits> shards, int[] counts) {
    List<ShardHits> cut = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      cut.add(
          new ShardHits(
              shards.get(i).shardIndex(), Arrays.copyOf(shards.get(i).hits(), counts[i])));
    }
    return cut;
  }

  /** Nodes select from their shards; the gateway merges what all nodes have sent. */
  @Test
  void changeNothingInTheMergedHits() {
    for (int round = 0; round < ROUNDS; round++) {
      List<ShardHits> shards = new ArrayList<>();
      int count = 1 + random.nextInt(MAX_SHARDS);
      for (int i = 0; i < count; i++) {
        shards.add(new ShardHits(i, randomHits()));
      }
      int size = 1 + random.nextInt(MAX_HITS);
      List<String> expected = texts(merge(shards, size));
      Collections.shuffle(shards, random);
      int split = random.nextInt(count + 1);
      List<ShardHits> sent = new ArrayList<>();
      for (List<ShardHits> node : List.of(shards.subList(0, split), shards.subList(split, count))) {
        List<ShardHits> kept = cut(node, BestHits.select(node, size, BestHits.BY_SCORE));
        assertThat(kept.stream().mapToInt(one -> one.hits().length).sum())
            .isLessThanOrEqualTo(size);
        sent.addAll(kept);
      }
      assertThat(texts(merge(sent, size))).isEqualTo(expected);
    }
  }

  @Test
  void breaksTiesByShard() {
    ScoreDoc[] equal = {hit(1, 1), hit(2, 1)};
    List<ShardHits> shards =
        List.of(new ShardHits(7, equal), new ShardHits(3, equal), new ShardHits(5, equal));
    assertThat(BestHits.select(shards, 3, BestHits.BY_SCORE)).containsExactly(0, 2, 1);
    assertThat(BestHits.select(shards, 100, BestHits.BY_SCORE)).containsExactly(2, 2, 2);
    assertThat(BestHits.select(List.of(), 3, BestHits.BY_SCORE)).isEmpty();
  }

  @Test
  void takesOrderedScoresAlone() {
    assertThat(BestHits.isOrdered(found())).isTrue();
    assertThat(BestHits.isOrdered(found(hit(1, 2), hit(2, 2), hit(0, 0)))).isTrue();
    assertThat(BestHits.isOrdered(found(hit(1, 1), hit(2, 2)))).as("rising").isFalse();
    assertThat(BestHits.isOrdered(found(hit(1, Float.NaN)))).as("no score").isFalse();
    assertThat(BestHits.isOrdered(found(hit(1, -1e10f)))).as("a mark of a hybrid query").isFalse();
    assertThat(
            BestHits.isOrdered(
                new TopFieldDocs(
                    new TotalHits(0, TotalHits.Relation.EQUAL_TO), new ScoreDoc[0], null)))
        .as("sorted by fields")
        .isFalse();
  }
}
