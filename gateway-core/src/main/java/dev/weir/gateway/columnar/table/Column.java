package dev.weir.gateway.columnar.table;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One column: its name, and what is known of its values so far. */
public final class Column {
  private final String name;
  private final int index;
  private final Set<String> formats = new LinkedHashSet<>(1);
  private @Nullable String declared;
  private int kinds;

  Column(String name, int index) {
    this.name = name;
    this.index = index;
  }

  public String name() {
    return name;
  }

  /** Its place among the columns, from 0. */
  public int index() {
    return index;
  }

  /**
   * Says what a mapping says of it; several may.
   *
   * @param format of a date; empty where it is none, or one by default
   */
  public void declare(String type, String format) {
    declared = declared == null ? type : Types.common(declared, type);
    if (!format.isEmpty()) {
      formats.add(format);
    }
  }

  /** The formats that mappings say its dates may have. */
  public Set<String> formats() {
    return formats;
  }

  /** What its values were seen to be. */
  public int kinds() {
    return kinds;
  }

  void saw(int seen) {
    kinds |= seen;
  }

  /** Its type, as far as it is known. */
  public String type() {
    String said = declared;
    return said == null ? Types.seen(kinds) : said;
  }
}
