/** What tests of several rooms share, and the rules that hold in all of them. */
@NullMarked
package dev.weir.gateway;

import org.jspecify.annotations.NullMarked;
