package dev.weir.responses.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.responses.columnar.ResponseHits;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHit;

/** Slices contain every document once, for any cuts and resumptions. */
class SliceQueueTest {
  private static final long UNKNOWN = Long.MAX_VALUE;

  private static ResponseHits hits(List<Integer> documents) {
    SearchHit[] objects =
        documents.stream()
            .map(document -> {
              SearchHit hit = new SearchHit(document);
              hit.sortValues(new Object[] {document}, new DocValueFormat[] {DocValueFormat.RAW});
              return hit;
            })
            .toArray(SearchHit[]::new);
    return new ResponseHits.HitObjects(objects);
  }

  /** A shard's response: up to so many documents after a given one. */
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
      SliceQueue slices = SliceQueue.split(lasts, 1 + random.nextInt(9), 1 + random.nextInt(50));
      List<List<Integer>> read = new ArrayList<>();
      shards.forEach(shard -> read.add(new ArrayList<>()));
      while (!slices.isDone()) {
        ExportSlice slice = slices.pollIdle();
        if (slice == null) {
          throw new AssertionError("got no slice (expected: one, for none is done)");
        }
        int asked = (int) Math.min(1 + random.nextInt(60), slice.maxRemainingRows());
        List<Integer> shard = shards.get(slice.shard());
        List<Integer> found = page(shard, slice.position().searchAfter(), asked);
        ResponseHits hits = hits(found);
        int own = slice.countOwn(hits);
        int told = random.nextInt(4) == 0 ? random.nextInt(own + 1) : own;
        slice.onPageSent(hits, told, told == own && (own < hits.count() || hits.count() < asked));
        read.get(slice.shard()).addAll(found.subList(0, told));
        slices.returnSlice(slice);
        if (random.nextInt(10) == 0) {
          SliceQueue again = new SliceQueue();
          slices.openPositions().forEach(at -> again.add(new ExportSlice(at)));
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
    assertThat(SliceQueue.split(List.of(9_999L, 9_999L), 4, 100).openPositions()).hasSize(4);
    assertThat(SliceQueue.split(List.of(9_999L, 9_999L), 3, 100).openPositions()).hasSize(4);
    assertThat(SliceQueue.split(List.of(9_999L, -1L, UNKNOWN), 3, 100).openPositions()).hasSize(2);
    assertThat(SliceQueue.split(List.of(150L), 8, 100).openPositions()).hasSize(1);
    assertThat(SliceQueue.split(List.of(), 8, 100).isDone()).isTrue();
  }

  @Test
  void readAPageAgainAfterAFailedDelivery() {
    ExportSlice slice = ExportSlice.ofRange(0, 10, 20);
    ExportSlice.Position before = slice.position();
    slice.onPageSent(hits(List.of(10, 15, 19)), 3, true);
    assertThat(slice.isDone()).isTrue();

    slice.rewind(before);

    assertThat(slice.isDone()).isFalse();
    assertThat(slice.position().searchAfter()).containsExactly(9L);
    assertThat(slice.maxRemainingRows()).isEqualTo(10);
  }
}
