package dev.weir.responses.columnar.table;

import org.jspecify.annotations.Nullable;

/** One column: its name, and what is known of its values so far. */
public final class Column {
  /** The format of dates whose mapping says none. */
  public static final String STANDARD_FORMAT = "strict_date_optional_time||epoch_millis";

  private final String name;
  private final int index;
  private final boolean isReformatted;
  private @Nullable String declaredType;
  private String expectedType = ColumnTypes.UNKNOWN;
  private @Nullable String format;
  private boolean hasMixedFormats;
  private int kinds;

  Column(String name, int index, boolean reformatted) {
    this.name = name;
    this.index = index;
    this.isReformatted = reformatted;
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
   * @param dateFormat of a date; empty where it is none, or one by default
   */
  public void declare(String type, String dateFormat) {
    declaredType = declaredType == null ? type : ColumnTypes.commonType(declaredType, type);
    if (ColumnTypes.isDate(type)) {
      String said = dateFormat.isEmpty() ? STANDARD_FORMAT : dateFormat;
      hasMixedFormats = hasMixedFormats || (format != null && !format.equals(said));
      format = said;
    }
  }

  /** Says what its type is as long as it has no value, and nothing else says it. */
  public void setExpectedType(String type) {
    expectedType = type;
  }

  /**
   * The format of all of its dates; null where they have different ones, or one of the search's:
   * what a date of it means is not known then.
   */
  public @Nullable String dateFormat() {
    return isReformatted || hasMixedFormats ? null : format;
  }

  /** What its values were seen to be. */
  public int kinds() {
    return kinds;
  }

  void recordKinds(int seen) {
    kinds |= seen;
  }

  /** Its type, as far as it is known. */
  public String type() {
    String said = declaredType;
    if (said != null) {
      return said;
    }
    String seen = ColumnTypes.fromKinds(kinds);
    return seen.equals(ColumnTypes.UNKNOWN) ? expectedType : seen;
  }
}
