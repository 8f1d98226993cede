// no macros
