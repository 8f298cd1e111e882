package dev.weir.core.actions.authorization;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Answers of nodes that are used only while they are fresh. An answer's age counts from the moment
 * its question was sent, so whatever a node changed before that moment is in it. Questions about
 * one key are asked one at a time; a key in use is asked again before its answer is too old.
 *
 * <p>Keys are digests, so that all of them have the same small size. A failure is never kept. Safe
 * on any thread; never blocks.
 */
final class ShortLivedCache<V> {
  /**
   * The age from which an answer is not used. Together with the time that a request needs until its
   * first call to a node, it stays below the second within which a revocation is in force.
   */
  static final Duration MAX_AGE = Duration.ofMillis(800);

  /** The age from which a used answer is asked for again, while it is still in use. */
  static final Duration REFRESH_AGE = Duration.ofMillis(400);

  private static final int MAX_OPEN_QUESTIONS = 512;
  private static final Duration FORGET_UNUSED = Duration.ofSeconds(30);

  /** The memory of an entry besides its value: a digest as text, and the cache's own objects. */
  private static final int ENTRY_BYTES = 256;

  private final ConcurrentMap<String, Answer<V>> answers;
  private final ConcurrentMap<String, CompletableFuture<Answer<V>>> open =
      new ConcurrentHashMap<>();
  private final AtomicInteger openQuestions = new AtomicInteger();
  private final LongSupplier nanoClock;
  private final AuthorizationCounts counts;

  /** An answer, and when its question was sent. */
  record Answer<V>(V value, long askedNanos) {}

  /**
   * Creates a cache.
   *
   * @param answers keeps answers by key, and may drop any of them
   * @param nanoClock such as {@link System#nanoTime}
   */
  ShortLivedCache(
      ConcurrentMap<String, Answer<V>> answers,
      LongSupplier nanoClock,
      AuthorizationCounts counts) {
    this.answers = answers;
    this.nanoClock = nanoClock;
    this.counts = counts;
  }

  /**
   * Creates an empty cache with a bound.
   *
   * @param maxBytes the memory of all entries
   * @param bytesOf the memory of a value, roughly
   */
  static <V> ShortLivedCache<V> create(
      long maxBytes, ToIntFunction<V> bytesOf, LongSupplier nanoClock, AuthorizationCounts counts) {
    Cache<String, Answer<V>> answers =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher(
                (String key, Answer<V> answer) -> ENTRY_BYTES + bytesOf.applyAsInt(answer.value))
            .expireAfterAccess(FORGET_UNUSED)
            .executor(Runnable::run)
            .build();
    return new ShortLivedCache<>(answers.asMap(), nanoClock, counts);
  }

  /**
   * Returns the fresh answer, or null. Asks ahead if the answer will soon be too old.
   *
   * @param key a digest
   * @param question asks a node; completes on any thread
   */
  @Nullable V getIfFresh(String key, Supplier<CompletableFuture<V>> question) {
    Answer<V> answer = answers.get(key);
    if (answer == null) {
      return null;
    }
    long age = nanoClock.getAsLong() - answer.askedNanos;
    if (age > MAX_AGE.toNanos()) {
      return null;
    }
    counts.recordHit();
    if (age > REFRESH_AGE.toNanos() && !open.containsKey(key)) {
      join(key, question);
    }
    return answer.value;
  }

  /**
   * Asks, or joins the question that is open. The future completes on any thread; exceptionally if
   * no fresh answer arrives in time.
   *
   * @param question its future is cancelled if it takes too long
   */
  CompletableFuture<V> ask(String key, Supplier<CompletableFuture<V>> question) {
    return join(key, question)
        .thenApply(answer -> {
          if (nanoClock.getAsLong() - answer.askedNanos > MAX_AGE.toNanos()) {
            throw new IllegalStateException("got an answer that was asked for too long ago");
          }
          return answer.value;
        });
  }

  private CompletableFuture<Answer<V>> join(String key, Supplier<CompletableFuture<V>> question) {
    CompletableFuture<Answer<V>> other = open.get(key);
    if (other != null) {
      return other;
    }
    if (openQuestions.incrementAndGet() > MAX_OPEN_QUESTIONS) {
      openQuestions.decrementAndGet();
      counts.recordFailure();
      return CompletableFuture.failedFuture(new TimeoutException("too many open questions"));
    }
    CompletableFuture<Answer<V>> mine = new CompletableFuture<>();
    other = open.putIfAbsent(key, mine);
    if (other != null) {
      openQuestions.decrementAndGet();
      return other;
    }
    start(key, mine, question);
    return mine;
  }

  private void start(
      String key, CompletableFuture<Answer<V>> mine, Supplier<CompletableFuture<V>> question) {
    long askedNanos = nanoClock.getAsLong();
    counts.recordCheck();
    CompletableFuture<V> asked = send(question);
    // a copy: the timeout cancels the question, which must still be able to tell why it failed
    asked
        .copy()
        .orTimeout(MAX_AGE.toNanos(), TimeUnit.NANOSECONDS)
        .whenComplete((value, failure) -> {
          Answer<V> answer = failure == null ? new Answer<>(value, askedNanos) : null;
          if (answer != null) {
            answers.merge(key, answer, ShortLivedCache::newer);
          } else {
            counts.recordFailure();
            asked.cancel(true);
          }
          // after the answer is known: nobody asks again what was just answered
          open.remove(key, mine);
          openQuestions.decrementAndGet();
          if (answer != null) {
            mine.complete(answer);
          } else {
            mine.completeExceptionally(failure);
          }
        });
  }

  private static <V> CompletableFuture<V> send(Supplier<CompletableFuture<V>> question) {
    try {
      return question.get();
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  private static <V> Answer<V> newer(Answer<V> one, Answer<V> other) {
    return one.askedNanos - other.askedNanos > 0 ? one : other;
  }

  /** Returns the age of a key's answer, in nanoseconds; negative for none. */
  long ageNanos(String key) {
    Answer<V> answer = answers.get(key);
    return answer == null ? -1 : nanoClock.getAsLong() - answer.askedNanos;
  }
}
