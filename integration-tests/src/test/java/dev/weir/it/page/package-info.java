/** The live page of the admin endpoint, in a real browser. */
@NullMarked
package dev.weir.it.page;

import org.jspecify.annotations.NullMarked;
