package dev.weir.model;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where a feature registers its section of every policy: the feature registers once, when it is
 * created, and says how the settings in the file become the value that requests use.
 *
 * @param <S> the settings of one policy in the file
 */
public interface PolicySectionRegistry<S> {

  /**
   * Converts the settings of a policy to the value that requests use. Has no side effects, because
   * a configuration may still be rejected, which discards the value.
   */
  @FunctionalInterface
  interface SectionFactory<S, T> {
    /**
     * Creates the section's value for one policy.
     *
     * @param policyName empty for the default policy
     * @param source the policy's settings
     * @param previous the current value in the policy of this name, so that counters and limiters
     *     continue; null for none
     */
    T create(String policyName, S source, @Nullable T previous);
  }

  /**
   * Registers a section.
   *
   * @throws IllegalStateException if policies were compiled already
   */
  <T> RequestPolicy.Section<T> register(SectionFactory<S, T> factory);

  /** A registry for features that need only a part of the settings. */
  default <R> PolicySectionRegistry<R> narrow(Function<S, R> part) {
    PolicySectionRegistry<S> whole = this;
    return new PolicySectionRegistry<>() {
      @Override
      public <T> RequestPolicy.Section<T> register(SectionFactory<R, T> factory) {
        return whole.register((policyName, source, previous) ->
            factory.create(policyName, part.apply(source), previous));
      }
    };
  }
}
