package dev.weir.responses.columnar.table;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One column: its name, and what is known about its values so far. */
public final class Column {
  /** The format of dates without a format in their mapping. */
  public static final String STANDARD_FORMAT = "strict_date_optional_time||epoch_millis";

  private final String name;
  private final int index;
  private final boolean isReformatted;
  private @Nullable String declaredType;
  private String expectedType = ColumnTypes.UNKNOWN;
  private @Nullable String format;
  private boolean hasMixedFormats;
  private int kinds;
  private boolean hasNonFinite;

  /** The members of the column's objects by key; null before any is known. */
  private @Nullable Map<String, Column> members;

  private final List<Consumer<Column>> memberDeclarations = new ArrayList<>(0);

  Column(String name, int index, boolean reformatted) {
    this.name = name;
    this.index = index;
    this.isReformatted = reformatted;
  }

  public String name() {
    return name;
  }

  /** Returns the column's position among all columns, from 0. */
  public int index() {
    return index;
  }

  /**
   * Adds what one index's mapping declares; several indices may.
   *
   * @param dateFormat the format of a date; empty for the default or for another type
   */
  public void declare(String type, String dateFormat) {
    declaredType = declaredType == null ? type : ColumnTypes.commonType(declaredType, type);
    if (ColumnTypes.isDate(type)) {
      String declared = dateFormat.isEmpty() ? STANDARD_FORMAT : dateFormat;
      hasMixedFormats = hasMixedFormats || (format != null && !format.equals(declared));
      format = declared;
    }
  }

  /** Returns whether a mapping declares the type. */
  public boolean isDeclared() {
    return declaredType != null;
  }

  /**
   * Adds what one index's mapping declares about the members of the column's objects.
   *
   * @param declaration declares each {@link #member}; called when members are first needed, if ever
   */
  public void declareMembers(Consumer<Column> declaration) {
    memberDeclarations.add(declaration);
  }

  /** Returns the member of the column's objects with a key; creates it if necessary. */
  public Column member(String key) {
    Map<String, Column> known = members;
    if (known == null) {
      known = new LinkedHashMap<>();
      members = known;
    }
    return known.computeIfAbsent(key, added -> new Column(name + "." + added, 0, isReformatted));
  }

  /** Returns the members by key: those of mappings, and those created since, in this order. */
  public Map<String, Column> members() {
    while (!memberDeclarations.isEmpty()) {
      memberDeclarations.removeFirst().accept(this);
    }
    Map<String, Column> known = members;
    return known == null ? Map.of() : known;
  }

  /** Sets the type that applies while the column has no value and no mapping. */
  public void setExpectedType(String type) {
    expectedType = type;
  }

  /**
   * Returns the format of all of the column's dates. Null if formats differ or the search sets its
   * own: then the meaning of a date is unknown.
   */
  public @Nullable String dateFormat() {
    return isReformatted || hasMixedFormats ? null : format;
  }

  /**
   * Returns the kinds of values seen so far. NaN and infinities are decimals beside numbers alone,
   * and text otherwise.
   */
  public int kinds() {
    if (!hasNonFinite) {
      return kinds;
    }
    int values = kinds & ~(ValueKinds.NULL | ValueKinds.LIST);
    boolean isNumeric =
        values != 0 && ValueKinds.hasOnly(values, ValueKinds.INTEGER | ValueKinds.DECIMAL);
    return kinds | (isNumeric ? ValueKinds.DECIMAL : ValueKinds.STRING);
  }

  void recordKinds(int seen) {
    kinds |= seen;
  }

  /** Records NaN or an infinity. */
  void recordNonFinite() {
    hasNonFinite = true;
  }

  /** Returns the type as known so far. */
  public String type() {
    String declared = declaredType;
    if (declared != null) {
      return declared;
    }
    String seen = ColumnTypes.fromKinds(kinds());
    return seen.equals(ColumnTypes.UNKNOWN) ? expectedType : seen;
  }
}
