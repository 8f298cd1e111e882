package dev.weir.model;

/**
 * The settings that one request follows, ready to use: one value for each registered section. The
 * gateway picks a request's policy once, from its headers; the request keeps it to its end, also
 * across a reload of the configuration. Immutable, as far as its values are.
 */
public final class RequestPolicy {
  /** The policy of work that no client requested: every section has its initial value. */
  public static final RequestPolicy NONE = new RequestPolicy("", new Object[0]);

  private final String name;
  private final Object[] values;

  /**
   * The key of one value in every policy; the feature that registered it reads by it. Immutable.
   */
  public static final class Section<T> {
    private final int index;
    private final T initialValue;

    Section(int index, T initialValue) {
      this.index = index;
      this.initialValue = initialValue;
    }

    /** The value for the default policy when the section was registered. */
    T initialValue() {
      return initialValue;
    }
  }

  RequestPolicy(String name, Object[] values) {
    this.name = name;
    this.values = values;
  }

  /** Its name, which routes refer to; empty for the default policy. */
  public String name() {
    return name;
  }

  /**
   * The value of a section.
   *
   * @throws IllegalStateException when the section is not one of the policy's compiler
   */
  @SuppressWarnings("unchecked") // the compiler created the value and the section together
  public <T> T get(Section<T> section) {
    if (section.index < values.length) {
      return (T) values[section.index];
    }
    if (this == NONE) {
      return section.initialValue;
    }
    throw new IllegalStateException(
        this + " has " + values.length + " sections, and not the one with index " + section.index);
  }

  @Override
  public String toString() {
    return name.isEmpty() ? "default policy" : "policy " + name;
  }
}
