package dev.weir.model;

/**
 * All that a request goes by which is otherwise for the requests of other routes, made ready: one
 * value for each section. A request takes its policy by its head, once, and keeps it to its end,
 * also when the gateway has long gone over to another one. Immutable, as far as its values are.
 */
public final class RequestPolicy {
  /** Goes by what there was when the sections were made; for what has no client. */
  public static final RequestPolicy NONE = new RequestPolicy("", new Object[0]);

  private final String name;
  private final Object[] values;

  /** A part of every policy; its owner asks policies for what they say of it. Immutable. */
  public static final class Section<T> {
    private final int index;
    private final T initialValue;

    Section(int slot, T first) {
      this.index = slot;
      this.initialValue = first;
    }

    /** What the policy of the whole gateway said when the section was made. */
    T initialValue() {
      return initialValue;
    }
  }

  RequestPolicy(String name, Object[] values) {
    this.name = name;
    this.values = values;
  }

  /** Its name, which routes give; empty for the one without a name, of the whole gateway. */
  public String name() {
    return name;
  }

  /** What it says of a section. */
  @SuppressWarnings("unchecked") // who made the values made the sections
  public <T> T get(Section<T> section) {
    return section.index < values.length ? (T) values[section.index] : section.initialValue;
  }

  @Override
  public String toString() {
    return name.isEmpty() ? "policy of the whole gateway" : "policy " + name;
  }
}
