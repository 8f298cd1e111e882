package dev.weir.model;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What policies consist of. Whoever goes by policies adds a section when it is made, and says what
 * becomes of the words in the file.
 *
 * @param <S> what the file says
 */
public interface PolicySectionRegistry<S> {

  /**
   * Makes what requests go by of what the file says. Changes nothing that requests see: what it
   * makes may never be used.
   */
  @FunctionalInterface
  interface SectionFactory<S, T> {
    /**
     * Makes it.
     *
     * @param name of the policy; empty for the one of the whole gateway
     * @param says what the file says of it
     * @param before what was made for the policy of this name last; null for none
     */
    T create(String name, S says, @Nullable T before);
  }

  /** Adds a section. */
  <T> RequestPolicy.Section<T> register(SectionFactory<S, T> maker);

  /** The sections that are about a part of what the file says. */
  default <R> PolicySectionRegistry<R> narrow(Function<S, R> part) {
    PolicySectionRegistry<S> whole = this;
    return new PolicySectionRegistry<>() {
      @Override
      public <T> RequestPolicy.Section<T> register(SectionFactory<R, T> maker) {
        return whole.register((name, says, before) -> maker.create(name, part.apply(says), before));
      }
    };
  }
}
