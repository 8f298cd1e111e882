package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

class ShortLivedCacheTest {
  private static final Duration MOMENT = Duration.ofMillis(1);

  private final AuthorizationCounts counts = new AuthorizationCounts();
  private final List<CompletableFuture<String>> asked = new ArrayList<>();
  private long nanos = 1_000;
  private final ShortLivedCache<String> cache =
      ShortLivedCache.create(1 << 20, String::length, () -> nanos, counts);

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

    pass(ShortLivedCache.MAX_AGE);
    assertThat(cache.getIfFresh("key", this::ask)).isEqualTo("yes");
    pass(MOMENT);
    assertThat(cache.getIfFresh("key", this::ask)).isNull();
    assertThat(cache.getIfFresh("other", this::ask)).isNull();
  }

  @Test
  void countTheAgeFromTheQuestionAndNotFromTheAnswer() {
    CompletableFuture<String> waiting = cache.ask("key", this::ask);
    pass(ShortLivedCache.MAX_AGE.plus(MOMENT));
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

    pass(ShortLivedCache.REFRESH_AGE.plus(MOMENT));
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

  @Test
  void takeNoMoreMemoryThanTheBound() {
    ShortLivedCache<String> small =
        ShortLivedCache.create(10_000, String::length, () -> nanos, counts);
    for (int i = 0; i < 200; i++) {
      small.ask("key-" + i, () -> CompletableFuture.completedFuture("x".repeat(700)));
    }
    int kept = 0;
    for (int i = 0; i < 200; i++) {
      kept += small.getIfFresh("key-" + i, this::ask) == null ? 0 : 1;
    }
    assertThat(kept).isBetween(1, 10);
  }

  @Test
  void cancelAQuestionThatTakesTooLong() {
    CompletableFuture<String> answer = new CompletableFuture<>();
    CompletableFuture<String> waiting =
        cache.ask("key", () -> SecurityCheckClient.map(answer, text -> text + "!"));

    assertThatThrownBy(() -> waiting.get(1, TimeUnit.MINUTES))
        .hasRootCauseInstanceOf(TimeoutException.class);
    assertThat(answer).isCancelled();
    cache.ask("key", this::ask);
    assertThat(asked).hasSize(1);
  }

  /** Another thread would ask again what was just answered, and might keep an older answer. */
  @Test
  void keepTheAnswerBeforeAnotherQuestionMayBeAsked() {
    List<ShortLivedCache<String>> caches = new ArrayList<>();
    List<String> questions = new ArrayList<>();
    ConcurrentMap<String, ShortLivedCache.Answer<String>> answers =
        new ConcurrentHashMap<>() {
          private static final long serialVersionUID = 1L;

          @Override
          public ShortLivedCache.Answer<String> merge(
              String key,
              ShortLivedCache.Answer<String> answer,
              BiFunction<
                      ? super ShortLivedCache.Answer<String>,
                      ? super ShortLivedCache.Answer<String>,
                      ? extends ShortLivedCache.Answer<String>>
                  newer) {
            caches.getFirst().ask(key, () -> record("during"));
            return Objects.requireNonNull(super.merge(key, answer, newer));
          }

          private CompletableFuture<String> record(String question) {
            questions.add(question);
            return new CompletableFuture<>();
          }
        };
    caches.add(new ShortLivedCache<>(answers, () -> nanos, counts));
    caches.getFirst().ask("key", this::ask);
    asked.getFirst().complete("yes");

    assertThat(questions).isEmpty();
    assertThat(caches.getFirst().getIfFresh("key", this::ask)).isEqualTo("yes");
  }
}
