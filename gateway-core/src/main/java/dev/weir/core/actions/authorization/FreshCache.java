package dev.weir.core.actions.authorization;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers of nodes that are used only while they are fresh. An answer's age counts from the moment
 * its question was sent, so whatever a node changed before that moment is in it. Questions about
 * one key are asked one at a time; a key in use is asked again before its answer is too old.
 *
 * <p>A failure is never kept. Safe on any thread; never blocks.
 */
final class FreshCache<K, V> {
  /**
   * The age from which an answer is not used. Together with the time that a request needs until its
   * first call to a node, it stays below the second within which a revocation is in force.
   */
  static final Duration MAX_AGE = Duration.ofMillis(800);

  /** The age from which a used answer is asked for again, while it is still in use. */
  static final Duration REFRESH_AGE = Duration.ofMillis(400);

  private static final int MAX_KEYS = 20_000;
  private static final int MAX_OPEN_QUESTIONS = 512;
  private static final Duration FORGET_UNUSED = Duration.ofSeconds(30);

  private final Cache<K, Slot<V>> slots =
      Caffeine.newBuilder()
          .maximumSize(MAX_KEYS)
          .expireAfterAccess(FORGET_UNUSED)
          .executor(Runnable::run)
          .build();
  private final AtomicInteger openQuestions = new AtomicInteger();
  private final LongSupplier nanoClock;
  private final AuthorizationCounts counts;

  /** An answer, and when its question was sent. */
  private record Answer<V>(V value, long askedNanos) {}

  private static final class Slot<V> {
    private final AtomicReference<@Nullable CompletableFuture<Answer<V>>> pending =
        new AtomicReference<>();
    private volatile @Nullable Answer<V> last;
  }

  /**
   * Creates an empty cache.
   *
   * @param nanoClock such as {@link System#nanoTime}
   */
  FreshCache(LongSupplier nanoClock, AuthorizationCounts counts) {
    this.nanoClock = nanoClock;
    this.counts = counts;
  }

  /**
   * Returns the fresh answer, or null. Asks ahead if the answer will soon be too old.
   *
   * @param question asks a node; completes on any thread
   */
  @Nullable V getIfFresh(K key, Supplier<CompletableFuture<V>> question) {
    Slot<V> slot = slots.getIfPresent(key);
    Answer<V> answer = slot == null ? null : slot.last;
    if (slot == null || answer == null) {
      return null;
    }
    long age = nanoClock.getAsLong() - answer.askedNanos;
    if (age > MAX_AGE.toNanos()) {
      return null;
    }
    counts.recordHit();
    if (age > REFRESH_AGE.toNanos() && slot.pending.get() == null) {
      ask(slot, question);
    }
    return answer.value;
  }

  /**
   * Asks, or joins the question that is open. The future completes on any thread; exceptionally if
   * no fresh answer arrives in time.
   */
  CompletableFuture<V> ask(K key, Supplier<CompletableFuture<V>> question) {
    return ask(slots.get(key, absent -> new Slot<>()), question)
        .thenApply(answer -> {
          if (nanoClock.getAsLong() - answer.askedNanos > MAX_AGE.toNanos()) {
            throw new IllegalStateException("got an answer that was asked for too long ago");
          }
          return answer.value;
        });
  }

  private CompletableFuture<Answer<V>> ask(Slot<V> slot, Supplier<CompletableFuture<V>> question) {
    CompletableFuture<Answer<V>> mine = new CompletableFuture<>();
    while (!slot.pending.compareAndSet(null, mine)) {
      CompletableFuture<Answer<V>> other = slot.pending.get();
      if (other != null) {
        return other;
      }
    }
    long asked = nanoClock.getAsLong();
    counts.recordCheck();
    start(question)
        .whenComplete((value, failure) -> {
          slot.pending.set(null);
          if (failure == null) {
            Answer<V> answer = new Answer<>(value, asked);
            slot.last = answer;
            mine.complete(answer);
          } else {
            counts.recordFailure();
            mine.completeExceptionally(failure);
          }
        });
    return mine;
  }

  private CompletableFuture<V> start(Supplier<CompletableFuture<V>> question) {
    if (openQuestions.incrementAndGet() > MAX_OPEN_QUESTIONS) {
      openQuestions.decrementAndGet();
      return CompletableFuture.failedFuture(new TimeoutException("too many open questions"));
    }
    CompletableFuture<V> asked;
    try {
      asked = question.get();
    } catch (RuntimeException failure) {
      asked = CompletableFuture.failedFuture(failure);
    }
    // a copy: the timeout must not complete the asker's own future
    return asked
        .copy()
        .orTimeout(MAX_AGE.toNanos(), TimeUnit.NANOSECONDS)
        .whenComplete((value, failure) -> openQuestions.decrementAndGet());
  }

  /** Returns the age of a key's answer, in nanoseconds; negative for none. */
  long ageNanos(K key) {
    Slot<V> slot = slots.getIfPresent(key);
    Answer<V> answer = slot == null ? null : slot.last;
    return answer == null ? -1 : nanoClock.getAsLong() - answer.askedNanos;
  }
}
