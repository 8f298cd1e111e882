/** The {@code Warning} header of responses. Safe on any thread. */
@NullMarked
package dev.weir.rest.warnings;

import org.jspecify.annotations.NullMarked;
