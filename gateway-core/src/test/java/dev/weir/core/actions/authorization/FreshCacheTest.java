package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class FreshCacheTest {
  private static final Duration MOMENT = Duration.ofMillis(1);

  private final AuthorizationCounts counts = new AuthorizationCounts();
  private final List<CompletableFuture<String>> asked = new ArrayList<>();
  private long nanos = 1_000;
  private final FreshCache<String, String> cache = new FreshCache<>(() -> nanos, counts);

  private CompletableFuture<String> ask() {
    CompletableFuture<String> answer = new CompletableFuture<>();
    asked.add(answer);
    return answer;
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  @Test
  void useAnAnswerUntilItIsTooOld() {
    cache.ask("key", this::ask);
    asked.getFirst().complete("yes");

    pass(FreshCache.MAX_AGE);
    assertThat(cache.getIfFresh("key", this::ask)).isEqualTo("yes");
    pass(MOMENT);
    assertThat(cache.getIfFresh("key", this::ask)).isNull();
    assertThat(cache.getIfFresh("other", this::ask)).isNull();
  }

  @Test
  void countTheAgeFromTheQuestionAndNotFromTheAnswer() {
    CompletableFuture<String> waiting = cache.ask("key", this::ask);
    pass(FreshCache.MAX_AGE.plus(MOMENT));
    asked.getFirst().complete("yes");

    assertThat(waiting).isCompletedExceptionally();
    assertThat(cache.getIfFresh("key", this::ask)).isNull();
  }

  @Test
  void askOneQuestionAtATime() {
    CompletableFuture<String> first = cache.ask("key", this::ask);
    CompletableFuture<String> second = cache.ask("key", this::ask);

    assertThat(asked).hasSize(1);
    asked.getFirst().complete("yes");
    assertThat(first).isCompletedWithValue("yes");
    assertThat(second).isCompletedWithValue("yes");
    assertThat(counts.checks()).isEqualTo(1);
  }

  @Test
  void askAheadWhileAnAnswerIsInUse() {
    cache.ask("key", this::ask);
    asked.getFirst().complete("yes");

    pass(FreshCache.REFRESH_AGE.plus(MOMENT));
    assertThat(cache.getIfFresh("key", this::ask)).isEqualTo("yes");
    assertThat(cache.getIfFresh("key", this::ask)).isEqualTo("yes");
    assertThat(asked).hasSize(2);
    asked.get(1).complete("no");
    assertThat(cache.getIfFresh("key", this::ask)).isEqualTo("no");
  }

  @Test
  void keepNoFailure() {
    CompletableFuture<String> waiting = cache.ask("key", this::ask);
    asked.getFirst().completeExceptionally(new IllegalStateException("no node"));

    assertThat(waiting).isCompletedExceptionally();
    assertThat(cache.getIfFresh("key", this::ask)).isNull();
    cache.ask("key", this::ask);
    assertThat(asked).hasSize(2);
    assertThat(counts.failures()).isEqualTo(1);
  }

  @Test
  void failWhereTheQuestionCannotBeSent() {
    CompletableFuture<String> waiting =
        cache.ask(
            "key",
            () -> {
              throw new IllegalArgumentException("no event loop");
            });

    assertThat(waiting).isCompletedExceptionally();
  }

  @Test
  void askNoMoreQuestionsThanTheBound() {
    for (int i = 0; i < 512; i++) {
      cache.ask("key-" + i, this::ask);
    }
    assertThat(cache.ask("one more", this::ask)).isCompletedExceptionally();
    assertThat(asked).hasSize(512);

    asked.getFirst().complete("yes");
    assertThat(cache.ask("one more", this::ask)).isNotDone();
  }
}
