/** Sample data for trying things out: generated, the same at every run but for dates. */
@NullMarked
package dev.weir.testkit.demo;

import org.jspecify.annotations.NullMarked;
