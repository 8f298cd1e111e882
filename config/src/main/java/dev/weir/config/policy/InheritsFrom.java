package dev.weir.config.policy;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the section from which a section takes the keys that the file leaves out, at every depth. A
 * list or a map is inherited or replaced as a whole. The section may have fewer keys than the one
 * that it inherits from.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.RUNTIME)
public @interface InheritsFrom {
  /** The path of the other section, which comes earlier in the records, such as {@code traffic}. */
  String value();
}
