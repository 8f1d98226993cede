#pragma once
#define EACH 1
