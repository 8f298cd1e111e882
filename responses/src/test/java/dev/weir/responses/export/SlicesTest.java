package dev.weir.responses.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.responses.columnar.FoundHits;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHit;

/** Slices have every document once, wherever they are cut and gone on with. */
class SlicesTest {
  private static final long UNKNOWN = Long.MAX_VALUE;

  private static FoundHits hits(List<Integer> documents) {
    SearchHit[] objects =
        documents.stream()
            .map(document -> {
              SearchHit hit = new SearchHit(document);
              hit.sortValues(new Object[] {document}, new DocValueFormat[] {DocValueFormat.RAW});
              return hit;
            })
            .toArray(SearchHit[]::new);
    return new FoundHits.Objects(objects);
  }

  /** What a shard answers: its documents behind one, up to so many. */
  private static List<Integer> page(List<Integer> shard, Object @Nullable [] after, int most) {
    long from = after == null ? -1 : ((Number) after[0]).longValue();
    return shard.stream().filter(document -> document > from).limit(most).toList();
  }

  @Test
  void readEveryDocumentOnceHoweverTheyAreInterrupted() {
    Random random = new Random(11);
    for (int round = 0; round < 300; round++) {
      List<List<Integer>> shards = new ArrayList<>();
      List<Long> lasts = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        List<Integer> documents = new ArrayList<>();
        int numbers = random.nextInt(200);
        for (int document = 0; document < numbers; document++) {
          if (random.nextInt(3) > 0) {
            documents.add(document);
          }
        }
        shards.add(documents);
        lasts.add(
            random.nextInt(5) == 0
                ? UNKNOWN
                : documents.isEmpty() ? -1L : documents.getLast().longValue());
      }
      Slices slices = Slices.cut(lasts, 1 + random.nextInt(9), 1 + random.nextInt(50));
      List<List<Integer>> read = new ArrayList<>();
      shards.forEach(shard -> read.add(new ArrayList<>()));
      while (!slices.done()) {
        Slice slice = slices.take();
        if (slice == null) {
          throw new AssertionError("got no slice (expected: one, for none is done)");
        }
        int asked = (int) Math.min(1 + random.nextInt(60), slice.most());
        List<Integer> shard = shards.get(slice.shard());
        List<Integer> found = page(shard, slice.position().after(), asked);
        FoundHits hits = hits(found);
        int own = slice.own(hits);
        int told = random.nextInt(4) == 0 ? random.nextInt(own + 1) : own;
        slice.told(hits, told, told == own && (own < hits.count() || hits.count() < asked));
        read.get(slice.shard()).addAll(found.subList(0, told));
        slices.giveBack(slice);
        if (random.nextInt(10) == 0) {
          Slices again = new Slices();
          slices.positions().forEach(at -> again.add(new Slice(at)));
          slices = again;
        }
      }
      for (int i = 0; i < shards.size(); i++) {
        assertThat(read.get(i)).containsExactlyInAnyOrderElementsOf(shards.get(i));
      }
    }
  }

  @Test
  void cutsFewShardsIntoManySlices() {
    assertThat(Slices.cut(List.of(9_999L, 9_999L), 4, 100).positions()).hasSize(4);
    assertThat(Slices.cut(List.of(9_999L, 9_999L), 3, 100).positions()).hasSize(4);
    assertThat(Slices.cut(List.of(9_999L, -1L, UNKNOWN), 3, 100).positions()).hasSize(2);
    assertThat(Slices.cut(List.of(150L), 8, 100).positions()).hasSize(1);
    assertThat(Slices.cut(List.of(), 8, 100).done()).isTrue();
  }

  @Test
  void aPageThatCouldNotBeToldIsReadAgain() {
    Slice slice = Slice.part(0, 10, 20);
    Slice.Position before = slice.position();
    slice.told(hits(List.of(10, 15, 19)), 3, true);
    assertThat(slice.done()).isTrue();

    slice.back(before);

    assertThat(slice.done()).isFalse();
    assertThat(slice.position().after()).containsExactly(9L);
    assertThat(slice.most()).isEqualTo(10);
  }
}
